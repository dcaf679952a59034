import Contracts
import OrchardHTTPClient

/// Compares the services' counters with the script.
struct MetricsCheck {
    let environment: DemoEnvironment
    let client: HTTPClient
    let results: [OrderPlay.Result]
    /// The notification address of each transaction in the acquirer's own book.
    let notifiedAddresses: [String]
    /// How many rows the settlement files have, and how many pay-outs the bank made: an entry each.
    let settled: Int

    /// One counter with its expected and its actual value.
    struct Line: Sendable {
        let service: String
        let series: String
        let expected: Double
        let found: Double
    }

    struct Outcome: Sendable {
        let lines: [String]
        let findings: [Finding]
    }

    func findings() async throws -> Outcome {
        let ingest = try await MetricsPage.read(environment.ingests.map(\.admin), client)
        let gateway = try await MetricsPage.read(environment.gateways.map(\.admin), client)
        let ledger = try await MetricsPage.read(environment.ledgers.map(\.admin), client)
        // A charge that one gateway sent has the other one's notification address.
        var sends: [Line] = []
        for (worker, other) in zip(environment.gateways, environment.gateways.reversed()) {
            let page = try await MetricsPage.read([worker.admin], client)
            sends.append(
                Line(
                    service: worker.name, series: "charge_gateway_sends_total",
                    expected: Double(notifiedAddresses.count { $0.hasPrefix(other.address + "/") }),
                    found: page.total("charge_gateway_sends_total")))
        }
        let published = results.flatMap(\.published)
        let rejected = published.count { if case .rejected = $0 { true } else { false } }
        let late = results.count { $0.played.script.scenario == .waitedTooLong }
        let twice = results.count { $0.played.script.scenario == .duplicateToken }
        let succeeded = published.count(where: \.isPaid)
        let lateSuccesses = published.count(where: \.isLate)
        // Played as a late success, but the notification came before the answer that declines.
        let early = results.filter { $0.played.script.scenario == .lateSuccess }.flatMap(\.published)
            .count(where: \.isPaid)
        // A hold is an entry of its own.
        let holds = published.count { if case .authorised = $0 { true } else { false } }
        let entries =
            succeeded + lateSuccesses + holds + settled
            + results.flatMap(\.played.script.followUps).reduce(0) { $0 + $1.entries }
        // What succeeded late was declined first.
        let declined = lateSuccesses + published.count { if case .declined = $0 { true } else { false } }
        let refused = published.count { if case .refused = $0 { true } else { false } }
        func line(
            _ service: String, _ page: MetricsPage, _ name: String, _ labels: [String: String], _ expected: Int
        ) -> Line {
            let text =
                labels.isEmpty ? "" : "{" + labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",") + "}"
            return Line(
                service: service, series: name + text, expected: Double(expected), found: page.total(name, labels))
        }
        let lines =
            [
                line(
                    "token-ingest", ingest, "token_ingest_payments_total", ["outcome": "accepted"],
                    published.count - rejected - late + twice),
                line("token-ingest", ingest, "token_ingest_payments_total", ["outcome": "rejected"], rejected),
                line("charge-gateway", gateway, "charge_gateway_facts_total", ["event": "succeeded"], succeeded),
                line("charge-gateway", gateway, "charge_gateway_facts_total", ["event": "declined"], declined),
                line("charge-gateway", gateway, "charge_gateway_facts_total", ["event": "refused"], refused),
                // The same token twice is one charge: the gateway recognises the second command.
                line("charge-gateway", gateway, "charge_gateway_commands_total", ["outcome": "known"], twice),
                line("charge-gateway", gateway, "charge_gateway_facts_total", ["event": "lateSuccess"], lateSuccesses),
                // One says that money moved, the other that a notification contradicted the decline. An early one only
                // says that the answer contradicts the notification.
                line("charge-gateway", gateway, "charge_gateway_alarms_total", [:], 2 * lateSuccesses + early),
                line("order-ledger", ledger, "order_ledger_entries_total", [:], entries),
                line("order-ledger", ledger, "order_ledger_dead_letters_total", [:], 0),
            ] + sends
        var table = Table(numbers: [2, 3])
        table.add("", "", "expected", "found")
        for line in lines { table.add(line.service, line.series, "\(Int(line.expected))", "\(Int(line.found))") }
        return Outcome(
            lines: table.lines,
            findings: lines.filter { $0.expected != $0.found }.map {
                Finding(
                    book: "metrics", text: "\($0.service) \($0.series) is \(Int($0.found)), not \(Int($0.expected))")
            })
    }
}
