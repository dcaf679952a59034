import Contracts
import Foundation
import Ledger
import LedgerFixtures
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger

@Suite("order-ledger settle, as a real process", .timeLimit(.minutes(5)))
struct SettleCommandTests {
    private typealias Fixture = SettlementFixture

    private static func run(
        _ fixture: SettlementFixture, _ folder: TemporaryFolder, _ arguments: String...
    ) async throws -> (status: Int32, output: String) {
        let process = try TestProcess(
            "order-ledger", ["settle"] + arguments,
            [
                "POSTGRES_URL": fixture.ledger.service.connectionString, "KAFKA_PARTITIONS": "\(Shop.partitions)",
                "MERCHANTS": folder.url.appending(path: "merchants.json").path,
            ])
        return (try await process.status(), process.log)
    }

    // Failure scenario 24.
    @Test("lists and shows what the acquirer remarked on, though the day is reconciled")
    func remarks() async throws {
        try await Fixture.with { fixture in
            let folder = try TemporaryFolder()
            _ = try folder.write("merchants.json", Shop.registryJSON)
            let (totals, history) = (try Shop.totals(), Fixture.history(1))
            let defect = PaymentEvent.succeeded(
                PaymentEvent.result.remarked("A6: paid, with a defect"), sentAt: nil, queries: 1)
            let row = Fixture.row(1)
            try await fixture.fold(
                [history.offer(1, totals)]
                    + history.payment(Shop.paymentID(1), amount: totals.amount, .accepted, defect)
                    + [.settlementRecorded(row), .settlementFileRecorded(history.file([row]))])
            let list = try await Self.run(fixture, folder, "list", "--date", "2023-11-21")
            #expect(list.status == 0 && list.output.contains("  0 open  1 remarked on\n"), "\(list.output)")
            let show = try await Self.run(fixture, folder, "show", "2023-11-21")
            #expect(show.status == 0, "\(show.output)")
            #expect(
                show.output.hasSuffix(
                    """
                      remarks 1
                      sale  109.00 CNY  order \(Shop.orderID(1))  payment \(Shop.paymentID(1))  serial q1  A6: paid, with a defect

                    """), "\(show.output)")
        }
    }

    @Test("lists, shows, explains and receives")
    func commands() async throws {
        try await Fixture.with { fixture in
            let folder = try TemporaryFolder()
            _ = try folder.write("merchants.json", Shop.registryJSON)
            let rows = [Fixture.row(1), Fixture.history().row(nil, serial: "x1", amount: 500, fee: 3)]
            try await fixture.fold(
                try Fixture.paid(1) + rows.map { .settlementRecorded($0) }
                    + [.settlementFileRecorded(Fixture.history().file(rows))])

            var run = try await Self.run(fixture, folder, "list", "--date", "2023-11-21")
            #expect(run.status == 1, "\(run.output)")
            #expect(
                run.output == "2023-11-21  \(History.account)  differs  owed 113.32 CNY  1 matched  1 open\n",
                "\(run.output)")
            run = try await Self.run(fixture, folder, "show", "2023-11-21")
            #expect(run.status == 1 && run.output.contains("differences 1 open, 0 explained"), "\(run.output)")
            let id = DifferenceID(theirs: rows[1].id, on: rows[1].day)
            #expect(run.output.contains("\(id)  onlyTheirs  5.00 CNY"), "\(run.output)")
            run = try await Self.run(fixture, folder, "show", "2023-11-21", "--json")
            #expect(run.output.hasPrefix(#"{"account":"\#(History.account)""#), "\(run.output)")

            run = try await Self.run(
                fixture, folder, "explain", id.description, "--reason", "the till", "--by", "li.wei", "--date",
                "2023-11-21")
            #expect(run.status == 0, "\(run.output)")
            try await fixture.foldOutbox()
            run = try await Self.run(fixture, folder, "list", "--date", "2023-11-21", "--open")
            #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
            run = try await Self.run(
                fixture, folder, "explain", id.description, "--reason", "the till", "--by", "li.wei", "--date",
                "2023-11-21")
            #expect(run.status == 1 && run.output.contains("no open difference"), "\(run.output)")

            let file = try folder.write(
                "pay-outs.csv",
                """
                \(PayOutFile.header)
                2023-11-22,\(History.account),CNY,113.32,B-1
                total,,CNY,113.32,1

                """)
            run = try await Self.run(fixture, folder, "receive", "--file", file)
            #expect(run.status == 0 && run.output.hasPrefix("1 pay-outs are booked"), "\(run.output)")
            run = try await Self.run(fixture, folder, "receive", "--file", file)
            #expect(run.status == 1, "\(run.output)")
            #expect(run.output.contains("line 2: the pay-out B-1 was received before: nothing is booked"))
            try await fixture.foldOutbox()
            run = try await Self.run(fixture, folder, "show", "2023-11-22")
            #expect(run.output.contains("nothing is known of 2023-11-22"), "\(run.output)")
        }
    }

    /// Files of pay-outs that are refused: the lines behind the header, and what is said.
    private static let badFiles: [(String, String)] = {
        let (line, total) = ("2023-11-22,\(History.account),CNY,1.00,B-1\n", "total,,CNY,1.00,1\n")
        return [
            (line, "line 3: the file is cut: the total of CNY is missing"),
            (line + "total,,CNY,1.0", "line 3: the line is cut"),
            (
                line + total + PayOutFile.header + "\n" + line + total,
                "line 4: the header stands here again: the file is doubled"
            ),
            (line + line + "total,,CNY,2.00,2\n", "line 3: line 2 has the same reference of this account"),
            (
                line + "total,,CNY,2.00,1\n",
                "line 3: the lines before have 1 pay-outs of 1.00 CNY, the total says 1 of 2.00 CNY"
            ),
            (line.replacing("CNY", with: "USD") + "total,,USD,1.00,1\n", "line 2: currency: the account has no USD"),
            (line.replacing(History.account, with: "777290058110050") + total, "line 2: no merchant of merchants.json"),
            (line.replacing("2023", with: "2523") + total, "line 2: 2523-11-22 is later than today"),
            (line.replacing("1.00", with: "-1.00") + total, "line 3: the lines before have 1 pay-outs of -1.00 CNY"),
        ]
    }()

    @Test("refuses a file of pay-outs that is cut, doubled, of another currency, account or day; nothing is booked")
    func badPayOuts() async throws {
        try await Fixture.with { fixture in
            let folder = try TemporaryFolder()
            _ = try folder.write("merchants.json", Shop.registryJSON)
            for (lines, words) in Self.badFiles {
                let file = try folder.write("pay-outs.csv", PayOutFile.header + "\n" + lines)
                let run = try await Self.run(fixture, folder, "receive", "--file", file)
                #expect(run.status == 1 && run.output.contains(words), "\(run.output)")
                #expect(run.output.hasSuffix(": nothing is booked\n"), "\(run.output)")
            }
            #expect(try await fixture.ledger.owner.query("SELECT 1 FROM ledger.outbox").isEmpty)
        }
    }

    @Test(
        "reports what is wrong with a command line",
        arguments: [
            ([], "a command is missing"), (["show"], "DATE is missing"), (["show", "21.11.2023"], "DATE is a day"),
            (["list", "--date", "2023-11-21", "--to", "2023-11-22"], "not both"),
            (["explain", "x", "--reason", "a", "--by", "b"], "32 lower-case hex digits"),
            (["explain", "0190a0b0c0d0e0f00102030405060708"], "--reason is missing"),
            (["receive"], "--file is missing"), (["receive", "--file", "/none"], "cannot be read"),
        ] as [([String], String)])
    func wrong(_ arguments: [String], _ error: String) async throws {
        let process = try TestProcess("order-ledger", ["settle"] + arguments, [:])
        #expect(try await process.status() == 2)
        #expect(process.log.contains(error), "\(process.log)")
    }
}
