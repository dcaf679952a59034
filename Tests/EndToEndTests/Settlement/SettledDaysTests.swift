import COrchardLinux
import Contracts
import Foundation
import OrchardJSON
import TestSupport
import Testing

@Suite("Settled days, with charge-gateway and order-ledger as real processes", .timeLimit(.minutes(15)))
struct SettledDaysTests {
    /// The acquirer's fee of an amount in fen, 0.6 %.
    private static func fee(_ fen: Int64) -> Int64 { (fen * 60 + 5_000) / 10_000 }

    private static func yuan(_ fen: Int64) -> String { Money(minorUnits: fen, currency: .cny).decimal }

    // Failure scenario 48.
    @Test(
        "are fetched by the gateway's own timer; the ledger says reconciled to the fen, or which rows are not, until a person explains"
    )
    func days() async throws {
        try await TestServices.with { services in
            let (days, gateway, ledger) = (TestServices.days, try services.gateway(), try services.ledger())
            try await services.open(days[0])
            let order = try await services.pay("100.00", ledger)
            for service in [gateway, ledger] { #expect(try service.schedulingPolicies() == [SCHED_BATCH]) }
            for amount in ["50.00", "20.00"] { _ = try await services.pay(amount, ledger) }
            try await services.follow("refunds", "30.00", of: order, ledger)
            let hold = try await services.pay("80.00", ledger, mode: "authorise")
            try await services.follow("captures", "76.00", of: hold, ledger)

            try await services.open(days[1])
            let first = try await show(days[0], services, ledger) { $0.contains("  reconciled\n") }
            let fees = [10_000, 5_000, 2_000, 7_600, -3_000].map { $0 > 0 ? Self.fee($0) : -Self.fee(-$0) }.reduce(0, +)
            let net = Self.yuan(24_600 - 3_000 - fees)
            for line in [
                "ours     5 transactions: taken 246.00, returned 30.00",
                "theirs   5 transactions: taken 246.00, returned 30.00, fees \(Self.yuan(fees)), net \(net)",
                "file     5 transactions: taken 246.00, returned 30.00, fees \(Self.yuan(fees)), net \(net)",
                "matched 5,", "owed \(net) CNY", "differences 0 open, 0 explained",
            ] {
                #expect(first.contains(line), "\(line) in\n\(first)")
            }

            // The file will lack the first (the acquirer's behaviour for …7.50) and have another amount for the second.
            let lacking = try await services.pay("107.50", ledger)
            let misstated = try await services.pay("60.00", ledger)
            _ = try await services.pay("40.00", ledger)
            try await services.misstate(misstated, fen: 5_999)
            try await services.sellAtTill("till", fen: 1_234)
            try await services.open(days[2])
            _ = try await services.pay("10.00", ledger)
            try await services.open(nil)
            // It is known only when the next day's file lacks the row too.
            let second = try await show(days[1], services, ledger) { $0.contains("differences 3 open, 0 explained") }
            #expect(second.contains("  differs\n"), "\(second)")
            let found = second.split(separator: "\n").filter { $0.contains("  since ") }.map(String.init)
            let expected = [
                ("onlyOurs  -107.50 CNY", "order \(lacking)"), ("amountDiffers  -0.01 CNY", "order \(misstated)"),
                ("onlyTheirs  12.34 CNY", "number tillx1"),
            ]
            for (difference, place) in expected {
                #expect(found.count { $0.contains(difference) && $0.contains(place) } == 1, "\(difference)\n\(second)")
            }
            #expect(found.count == 3, "\(second)")
            try await explain(found, on: days[1], services, ledger)
            try await compare(days, services, gateway, ledger)
        }
    }

    /// Explains what the till took; the other two stay open.
    private func explain(_ found: [String], on day: SettlementDate, _ services: TestServices, _ ledger: TestProcess)
        async throws
    {
        let id = try #require(found.first { $0.contains("onlyTheirs") }?.split(separator: " ").first)
        let run = try await services.command(
            "settle", "explain", String(id), "--reason", "the till in the yard", "--by", "li.wei", "--date", "\(day)")
        #expect(run.status == 0, "\(run.output)")
        let text = try await show(day, services, ledger) { $0.contains("differences 2 open, 1 explained") }
        #expect(text.contains("explained by li.wei: the till in the yard"), "\(text)")
        let answer = try await services.ask(ledger, "/v1/settlements?date=\(day)")
        let report = answer.json["days"]?[0]
        #expect(report?["status"]?.string == "differs" && report?["openDifferences"]?.integer == 2, "\(answer)")
        let list = try await services.command("settle", "list", "--open")
        #expect(
            list.status == 1 && list.output.hasPrefix("\(day)  \(TestServices.account)  differs  "), "\(list.output)")
        #expect(
            list.output.hasSuffix("  2 matched  2 open\n") == false && list.output.contains("  2 open"),
            "\(list.output)")
    }

    /// Metrics, audit and replay agree.
    private func compare(
        _ days: [SettlementDate], _ services: TestServices, _ gateway: TestProcess, _ ledger: TestProcess
    ) async throws {
        let metrics = try await services.metrics(gateway)
        #expect(metrics[#"charge_gateway_settlement_files_total{outcome="recorded"}"#] == "3")
        #expect(metrics[#"charge_gateway_settlement_rows_total{operation="unknown"}"#] == "1")
        #expect(metrics[#"charge_gateway_settlement_rows_total{operation="known"}"#] == "8")
        let account = #"{account="\#(TestServices.account)"}"#
        try await ledger.until(within: .seconds(300)) {
            try await services.metrics(ledger)["order_ledger_open_differences\(account)"] == "2"
        }
        #expect(try await services.metrics(ledger)["order_ledger_unreconciled_days\(account)"] == "1")
        for command in ["audit", "replay"] {
            let run = try await services.command(command)
            #expect(run.status == 0 && run.output.hasSuffix("0 errors, 0 warnings\n"), "\(run.output)")
            guard command == "audit" else { continue }
            #expect(run.output.contains("9 rows of files, 9 entries = 9 facts"), "\(run.output)")
            #expect(run.output.contains("3 files, 9 rows, 0 files differ"), "\(run.output)")
            #expect(run.output.contains("3 reports, 0 differences"), "\(run.output)")
        }
    }

    /// What `settle show` prints of a day, once it says so. The last day may be over in some minutes only.
    private func show(
        _ day: SettlementDate, _ services: TestServices, _ ledger: TestProcess, until isShown: (String) -> Bool
    ) async throws -> String {
        var text = ""
        do {
            try await ledger.until(within: .seconds(600)) {
                text = try await services.command("settle", "show", "\(day)").output
                return isShown(text)
            }
        } catch {
            Issue.record("\(text)")
            throw error
        }
        return text
    }
}
