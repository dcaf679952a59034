/// Whether the kills were hard enough to mean something.
struct ChaosCheck {
    static let killsPerService = 10
    static let minimumInFlight = 20

    let kills: [Kill]
    let isChaos: Bool

    private var services: [String] { ["token-ingest", "charge-gateway", "order-ledger"] }

    var findings: [Finding] {
        guard isChaos else { return [] }
        var findings = services.compactMap { service in
            let count = kills.count { $0.service == service }
            return count >= Self.killsPerService
                ? nil
                : Finding(book: "chaos", text: "\(service) was killed \(count) times, not \(Self.killsPerService)")
        }
        findings += kills.filter { $0.inFlight < Self.minimumInFlight }.map {
            Finding(book: "chaos", text: "\($0.worker) was killed with only \($0.inFlight) payments in flight")
        }
        if !kills.contains(where: { $0.service == "charge-gateway" && $0.held > 0 }) {
            findings.append(Finding(book: "chaos", text: "no gateway was killed while the acquirer held a request"))
        }
        if !kills.contains(where: { $0.service == "charge-gateway" && $0.intentsUnsent > 0 }) {
            findings.append(Finding(book: "chaos", text: "no gateway was killed between intent and send"))
        }
        return findings
    }

    var lines: [String] {
        var table = Table(numbers: [1, 2, 3, 4, 5])
        table.add("killed", "times", "in flight", "held by acquirer", "intent, unsent", "recovery p50 / max")
        for service in services {
            let own = kills.filter { $0.service == service }
            let recoveries = Latencies(own.map(\.recovery))
            table.add(
                service, "\(own.count)", range(own.map(\.inFlight)), range(own.map(\.held)),
                range(own.map(\.intentsUnsent)), "\(recoveries.percentile(0.5).text) / \(recoveries.percentile(1).text)"
            )
        }
        return table.lines
    }

    private func range(_ numbers: [Int]) -> String {
        guard let least = numbers.min(), let most = numbers.max() else { return "-" }
        return least == most ? "\(least)" : "\(least)–\(most)"
    }
}
