import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import Ledger
import OrchardPostgres
import OrchardServiceKit

/// `order-ledger settle`: the acquirer's files against our books, and the bank's pay-outs.
enum SettleCommand {
    static let command = Command(
        name: "settle", summary: "reconcile settled days, explain differences, take the bank's pay-outs",
        subcommands: [list, show, explain, receive])

    static let keys = ConfigReader.keys { SettleConfiguration(reader: $0) }
    static let account = CommandOption.value(
        "account", "ACCOUNT", help: "Only this account at the acquirer (UnionPay merId).")
    static let json = CommandOption.flag("json", help: "Print the reports as JSON, one a line.")

    private static let list = Command(
        name: "list", summary: "list settled days and how they stand",
        discussion: """
            Reconciles each day of the last \(SettlementMonitor.days) days, or of the given ones, that was not reconciled \
            before and of which the books have got more since, and prints one line for each: date, account, status, what the acquirer owes, matched rows, open \
            differences, what it waits for. Exit status 0 when all are reconciled, 1 otherwise.
            """,
        options: [
            .flag("open", help: "Only days that are not reconciled."),
            .value("date", "DATE", help: "Only this day, as in 2026-11-24."),
            .value("from", "DATE", help: "From this day on."), .value("to", "DATE", help: "Up to this day."), account,
            json,
        ], configuration: keys,
        examples: [.init("order-ledger settle list --open --config order-ledger.json", "what is to be done?")]
    ) { invocation in
        let dates = try dates(invocation)
        return try await SettleConfiguration.with(invocation) { configuration, connection in
            var isReconciled = true
            for account in configuration.accounts(invocation.values("account").last) {
                for date in dates {
                    let day = account.day(date)
                    let known = try await SettlementDays(connection: connection).item(day)
                    let item =
                        if let known, known.status == .reconciled { known } else {
                            try await SettlementReconciler(connection: connection).refreshed(day, at: .now)
                        }
                    guard let item else { continue }
                    if item.status != .reconciled { isReconciled = false }
                    if invocation.has("open"), item.status == .reconciled { continue }
                    print(invocation.has("json") ? String(decoding: item.report, as: UTF8.self) : try item.line)
                }
            }
            return isReconciled ? 0 : 1
        }
    }

    private static let show = Command(
        name: "show", summary: "reconcile a day and show it",
        discussion: """
            Compares our transactions, the rows of the acquirer's file and the file's own sums, and lists every difference \
            with its id. Exit status 0 when the day is reconciled, 1 otherwise.
            """,
        arguments: [.init("DATE", help: "The settled day, as in 2026-11-24.")], options: [account, json],
        configuration: keys,
        examples: [.init("order-ledger settle show 2026-11-24 --config order-ledger.json", "the night's file")]
    ) { invocation in
        let date = try Self.date(invocation.arguments[0])
        return try await SettleConfiguration.with(invocation) { configuration, connection in
            var (isReconciled, isEmpty) = (true, true)
            for account in configuration.accounts(invocation.values("account").last) {
                let outcome = try await SettlementReconciler(connection: connection)
                    .reconcile(account.day(date), at: .now)
                guard let outcome else { continue }
                isEmpty = false
                if outcome.reconciliation.status != .reconciled { isReconciled = false }
                print(invocation.has("json") ? String(decoding: outcome.report, as: UTF8.self) : outcome.text)
            }
            if isEmpty { print("nothing is known of \(date): no file and no transaction") }
            return isReconciled ? 0 : 1
        }
    }

    private static let receive = Command(
        name: "receive", summary: "take pay-outs from the bank's statement",
        discussion: """
            The file is CSV with the header \(PayOutFile.header) and a line total,,CURRENCY,AMOUNT,COUNT for each currency at \
            its end. It is taken whole or refused whole: a pay-out that the books have already, an account of no merchant, \
            a day after today, a wrong total, or a file that is cut books nothing. Exit status 1 when it was refused.
            """,
        options: [.value("file", "FILE", help: "The CSV file.")], configuration: keys,
        examples: [.init("order-ledger settle receive --file pay-outs.csv --config order-ledger.json", "each morning")]
    ) { invocation in
        let path = try invocation.required("file")
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) cannot be read")
        }
        return try await SettleConfiguration.with(invocation) { configuration, connection in
            let publisher = SettlementPublisher(connection: connection, partitions: configuration.partitions)
            do {
                let payOuts = try await PayOutReceipt(publisher: publisher).receive(
                    Array(data), owners: configuration.owners, at: .now)
                print("\(payOuts) pay-outs are booked when serve has published and read them")
                return 0
            } catch let fault as PayOutFile.Fault {
                FileHandle.standardError.write(Data("order-ledger: \(path), \(fault): nothing is booked\n".utf8))
                return 1
            }
        }
    }

    static func date(_ text: String) throws(UsageError) -> SettlementDate {
        guard let date = SettlementDate(text) else { throw UsageError("DATE is a day as in 2026-11-24") }
        return date
    }

    /// The days that a list is about.
    private static func dates(_ invocation: Invocation) throws(UsageError) -> [SettlementDate] {
        func date(_ option: String) throws(UsageError) -> SettlementDate? {
            guard let text = invocation.values(option).last else { return nil }
            return try Self.date(text)
        }
        if let day = try date("date") {
            guard invocation.values("from").isEmpty, invocation.values("to").isEmpty else {
                throw UsageError("give --date, or --from and --to, not both")
            }
            return [day]
        }
        let last = try date("to") ?? SettlementCalendar.unionPay.lastClosedDay(at: .now)
        let first = try date("from") ?? last.adding(days: 1 - SettlementMonitor.days)
        guard first <= last, last < first.adding(days: 400) else {
            throw UsageError("--from is not after --to, and at most 400 days before it")
        }
        return Array(sequence(first: first) { $0 < last ? $0.adding(days: 1) : nil })
    }
}
