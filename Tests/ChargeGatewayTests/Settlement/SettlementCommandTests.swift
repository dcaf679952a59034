import Charging
import Contracts
import Foundation
import KeyFiles
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit
import SandboxAcquirer
import SandboxProcesses
import TestSupport
import Testing

@testable import Acquirers
@testable import ChargeGateway

@Suite("charge-gateway settlement, as a real process", .serialized, .timeLimit(.minutes(6)))
struct SettlementCommandTests {
    private static func run(
        _ arguments: [String], _ environment: [String: String]
    ) async throws -> (status: Int32, output: String) {
        let process = try TestProcess("charge-gateway", ["settlement"] + arguments, environment)
        return (try await process.status(), process.log)
    }

    private static let fetch = ["fetch", "--date", "2026-11-23"]

    @Test(
        "says what is wrong with a command line",
        arguments: [
            ([], "a command is missing"), (["fetch"], "give --date, or --from and --to"),
            (["fetch", "--date", "23.11.2026"], "--date is a day as in 2026-11-23"),
            (["fetch", "--date", "2026-02-30"], "--date is a day as in 2026-11-23"),
            (fetch + ["--from", "2026-11-23"], "not both"),
            (["fetch", "--from", "2026-11-24", "--to", "2026-11-23"], "--from is later than --to"),
            (["fetch", "--from", "2024-11-24", "--to", "2026-11-23"], "more than a year apart"),
            (["fetch", "--from", "2026-11-24"], "give --date, or --from and --to"), (fetch, "merchants"),
            (["show"], "DATE is missing"), (["show", "today"], "DATE is a day as in 2026-11-23"),
            (["list"], "postgres.url"),
        ] as [([String], String)])
    func wrong(_ arguments: [String], _ error: String) async throws {
        let run = try await Self.run(arguments, [:])
        #expect(run.status == 2 && run.output.contains(error), "\(run)")
    }

    @Test("refuses to fetch where no address is set, and names the setting")
    func withoutAddress() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try Shop.acquirerPKI.get().save(to: gateway.shop.folder)
            let run = try await Self.run(Self.fetch, Self.environment(gateway, "http://127.0.0.1:9", file: nil))
            #expect(run.status == 2 && run.output.contains("unionpay.settlement.url"), "\(run)")
        }
    }

    @Test(
        "fetches from the independent acquirer: a charge that no query ends is decided, the day is told once, and shown",
        .enabled(if: Oracles.arePresent, Comment(rawValue: Oracles.absence)))
    func oracle() async throws {
        let pki = try Shop.acquirerPKI.get()
        try await TestGateway.with([], hasTimers: false) { gateway in
            try pki.save(to: gateway.shop.folder)
            let program = try ChildProcess(
                ChildCommand(
                    Oracles.python,
                    [
                        Oracles.path("unionpay_acquirer.py"), "serve", gateway.shop.folder.path, "--port", "0",
                        "--process-ms", "1",
                    ],
                    output: .pipe, errors: .null))
            defer { program.signal(SIGKILL) }
            let url = "http://127.0.0.1:\(try #require(await program.line()).replacing("ready ", with: ""))"
            let environment = Self.environment(gateway, url, file: "\(url)/file")
            let yesterday = Timestamp(seconds: Timestamp.now.seconds - 86_400)
            let day = SettlementCalendar.unionPay.day(of: yesterday)
            // 741: every query of it says "accepted", for ever; only the file tells.
            let command = try gateway.shop.charge(Shop.order(), amount: 10_741)
            try await gateway.take([.charge(command)])
            try await gateway.strand(command, at: yesterday)
            try await Self.sell(command, at: yesterday, url, gateway)

            let taken = try await Self.run(["fetch", "--date", "\(day)"], environment)
            #expect(
                taken.status == 0 && taken.output.contains("\(day)  unionpay  \(Shop.account)  recorded: 1 rows"),
                "\(taken)")
            #expect(
                taken.output.contains("taken 107.41 CNY, returned 0.00 CNY, fees 0.64 CNY, net 106.77 CNY"), "\(taken)")
            #expect(
                try await gateway.turns(of: command.order)
                    == ["accepted", "succeeded", "orchard.settlement.recorded.v1"])
            let count = try await gateway.count("gateway.outbox")
            let again = try await Self.run(["fetch", "--from", "\(day)", "--to", "\(day)"], environment)
            #expect(again.status == 0 && again.output.contains("known already: 1 rows"), "\(again)")
            #expect(try await gateway.count("gateway.outbox") == count)
            let none = try await Self.run(["fetch", "--date", "\(day.adding(days: -3))"], environment)
            #expect(none.status == 1 && none.output.contains("the acquirer has no file of this day yet"), "\(none)")

            let list = try await Self.run(["list"], environment)
            #expect(
                list.status == 0
                    && list.output
                        == "\(day)  unionpay  \(Shop.account)  recorded  1 rows  0 disputes  net 106.77 CNY\n",
                "\(list)")
            let show = try await Self.run(["show", "\(day)", "--account", Shop.account], environment)
            #expect(show.status == 0 && show.output.contains("fees                  0.64 CNY\n"), "\(show)")
            #expect(!show.output.contains("of no operation") && !show.output.contains("3629"), "\(show)")
            let other = try await Self.run(["show", "\(day.adding(days: 1))"], environment)
            #expect(other.status == 1 && other.output.contains("no file of "), "\(other)")
        }
    }

    private static func environment(_ gateway: TestGateway, _ url: String, file: String?) -> [String: String] {
        let shop = gateway.shop
        var environment = [
            "POSTGRES_URL": gateway.url, "MERCHANTS": shop.file("merchants.json"), "UNIONPAY_URL": url,
            "UNIONPAY_ROOT": shop.file("unionpay_root.pem"), "UNIONPAY_MIDDLE": shop.file("unionpay_middle.pem"),
            "UNIONPAY_NOTIFICATIONS": "http://127.0.0.1:9/v1/notifications/unionpay",
            "KAFKA_PARTITIONS": "\(Shop.partitions)",
        ]
        environment["UNIONPAY_SETTLEMENT_URL"] = file
        return environment
    }

    /// Charges the card at the acquirer, whose clock stands at the time meanwhile.
    private static func sell(
        _ command: ChargeRequested, at time: Timestamp, _ url: String, _ gateway: TestGateway
    ) async throws {
        let client = HTTPClient()
        let folder = gateway.shop.folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await client.run() }
            defer { group.cancelAll() }
            let configuration = UnionPayConfiguration(
                url: url, notifications: "http://127.0.0.1:9/",
                root: folder.appending(path: "unionpay_root.pem").path,
                middle: folder.appending(path: "unionpay_middle.pem").path)
            let unionPay = try UnionPay(
                configuration, registry: gateway.shop.registry, folder: folder, client: client,
                logger: Logger(label: "test"))
            let found = try await gateway.transactions.step(command.order, in: 0) { order, _ in ([], order.machine) }
            let charge = try #require(found?.outcome[command.operation]?.subject.charge)
            try setClock(url, -86_400)
            let outcome = await unionPay.send(charge, card: try Shop.openedCard(), at: .now)
            guard case .answered(let answer) = outcome, answer.verdict == .accepted else {
                Issue.record("the sale: \(outcome)")
                return
            }
            try await Task.sleep(for: .milliseconds(300))
            try setClock(url, 0)
        }
    }

    private static func setClock(_ url: String, _ offset: Int) throws {
        let script =
            "import urllib.request as u; u.urlopen(u.Request('\(url)/_control/clock', b'{\"offset_s\": \(offset)}'))"
        #expect(try ProgramRun(Oracles.python, ["-c", script]).status == 0)
    }
}
