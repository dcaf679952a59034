import Acquirers
import Charging
import Contracts
import OrchardServiceKit

/// `charge-gateway settlement`: the acquirers' files of what they settled.
enum SettlementCommand {
    static let command = Command(
        name: "settlement", summary: "fetch, list and show the acquirers' settlement files",
        subcommands: [fetch, list, show])

    private static let account = CommandOption.value(
        "account", "ACCOUNT", help: "The merchant's number at the acquirer; all when not given.")
    private static let keys = ConfigReader.keys { ChargeStoreConfiguration(reader: $0) }

    private static let fetch = Command(
        name: "fetch", summary: "fetch files now, and tell the journal what they say",
        discussion: """
            The service fetches them by itself, an hour after each day's end (settlement.margin), and again later the days of
            the last month (settlement.days) that it lacks; this is for older days, and for a day that is needed now. Only a
            day that is over has a file. A file that was taken before is known: nothing is told twice. Another content for
            such a day is kept aside, with an alarm. A file that is wrong in itself is kept aside whole, and nothing of it is
            taken. The running service publishes what is taken. Exit status 0 when every day has its file, 1 otherwise.
            """,
        options: [
            .value("date", "DATE", help: "A day: 2026-11-23."),
            .value("from", "DATE", help: "The first of several days."),
            .value("to", "DATE", help: "The last of them."), account,
        ],
        configuration: ConfigReader.keys { SettlementCommandConfiguration(reader: $0) },
        examples: [
            .init("charge-gateway settlement fetch --date 2026-11-23 --config charge-gateway.json", "one day"),
            .init(
                "charge-gateway settlement fetch --from 2026-11-01 --to 2026-11-23 --config charge-gateway.json",
                "after a month without a gateway"),
        ]
    ) { invocation in
        try secureProcess()
        let dates = try dates(invocation)
        let (configuration, _) = try invocation.configuration { SettlementCommandConfiguration(reader: $0) }
        let lock = SettlementLock(postgres: configuration.store.postgres)
        return try await configuration.withFetcher { fetcher, sweep, all in
            let accounts = try chosen(invocation[option: "account"], among: all)
            var status: Int32 = 0
            for account in accounts {
                let isHeld: Void? = try await lock.hold(acquirer: account.acquirer, account: account.account) {
                    for date in dates {
                        let result =
                            if let resumed = try await fetcher.resume(account, date) { resumed } else {
                                try await fetcher.fetch(account, date)
                            }
                        print("\(date)  \(account.acquirer)  \(account.account)  \(result.text)")
                        if !result.isTaken { status = 1 }
                    }
                    try await sweep.run(account)
                }
                if isHeld == nil {
                    print("\(account.acquirer)  \(account.account)  another process fetches its files now; try again")
                    status = 1
                }
            }
            return status
        }
    }

    private static let list = Command(
        name: "list", summary: "list the files that were taken, and those that are kept aside",
        discussion: "The newest of each account first. At most 1,000 of each.", configuration: keys,
        examples: [.init("charge-gateway settlement list --config charge-gateway.json", "every morning")]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { ChargeStoreConfiguration(reader: $0) }
        let (lines, _) = try await configuration.read { _, connection in
            try await SettlementReport().list(1_000, on: connection)
        }
        for line in lines { print(line) }
        if lines.isEmpty { print("no file was taken yet") }
        return 0
    }

    private static let show = Command(
        name: "show", summary: "show the file of a day, and its rows that are of no operation of ours",
        arguments: [.init("DATE", help: "The day: 2026-11-23.")], options: [account], configuration: keys,
        examples: [.init("charge-gateway settlement show 2026-11-23 --config charge-gateway.json", "one day")]
    ) { invocation in
        let date = try date(invocation.arguments.first, "DATE")
        let (configuration, _) = try invocation.configuration { ChargeStoreConfiguration(reader: $0) }
        let (files, _) = try await configuration.read { _, connection in
            try await SettlementReport().show(date, account: invocation[option: "account"], on: connection)
        }
        for (index, lines) in files.enumerated() {
            if index > 0 { print("") }
            lines.forEach { print($0) }
        }
        guard files.isEmpty else { return 0 }
        print("no file of \(date) was taken")
        return 1
    }

    private static func dates(_ invocation: Invocation) throws(UsageError) -> [SettlementDate] {
        let (day, from, to) = (
            invocation[option: "date"], invocation[option: "from"], invocation[option: "to"]
        )
        if let day {
            guard from == nil, to == nil else { throw UsageError("give --date, or --from and --to, not both") }
            return [try date(day, "--date")]
        }
        guard from != nil, to != nil else { throw UsageError("give --date, or --from and --to") }
        let (first, last) = (try date(from, "--from"), try date(to, "--to"))
        guard first <= last else { throw UsageError("--from is later than --to") }
        var dates = [first]
        while let day = dates.last, day < last {
            guard dates.count < 366 else { throw UsageError("--from and --to are more than a year apart") }
            dates.append(day.adding(days: 1))
        }
        return dates
    }

    private static func date(_ text: String?, _ name: String) throws(UsageError) -> SettlementDate {
        guard let date = text.flatMap({ SettlementDate($0) }) else {
            throw UsageError("\(name) is a day as in 2026-11-23")
        }
        return date
    }

    private static func chosen(
        _ account: String?, among all: [SettlementAccount]
    ) throws(UsageError) -> [SettlementAccount] {
        let chosen = all.filter { account == nil || $0.account == account }
        guard chosen.isEmpty else { return chosen }
        throw account == nil
            ? UsageError(
                "no route of merchants.json leads to an acquirer whose files are fetched; see unionpay.settlement.url")
            : UsageError(
                "no such account among those whose files are fetched: \(all.map(\.account).joined(separator: ", "))")
    }
}

extension SettlementFetcher.Result {
    /// Whether the day's file is recorded.
    fileprivate var isTaken: Bool {
        switch self {
        case .taken(.recorded), .taken(.known): true
        case .taken(.refused), .taken(.contradicted), .noFile, .failed: false
        }
    }

    fileprivate var text: String {
        switch self {
        case .taken(.recorded(let file)): "recorded: \(Self.sums(file))"
        case .taken(.known(let file)): "known already: \(Self.sums(file))"
        case .taken(.refused(let error)): "refused and kept aside: \(error)"
        case .taken(.contradicted):
            "ALARM: another content than the file that was taken before; nothing of it is taken, and it is kept aside"
        case .noFile: "the acquirer has no file of this day yet, or nothing was settled"
        case .failed(let reason): "not fetched: \(reason)"
        }
    }

    private static func sums(_ file: SettlementFile) -> String {
        let totals = file.totals
        func amount(_ minorUnits: Int64) -> String { SettlementReport.amount(minorUnits, file.currency) }
        return "\(file.rows.count) rows, \(file.disputes.count) disputes, taken \(amount(totals.taken)), "
            + "returned \(amount(totals.returned)), fees \(amount(totals.fees)), net \(amount(totals.net))"
    }
}
