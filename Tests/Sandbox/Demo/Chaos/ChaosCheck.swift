/// Whether the kills happened at hard enough moments.
struct ChaosCheck {
    static let killsPerService = 10
    static let minimumInFlight = 20
    /// The least number of gateway kills at each of the two worst moments.
    static let some = 2

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
        findings += kills.filter { $0.moment.inFlight < Self.minimumInFlight }.map {
            Finding(book: "chaos", text: "\($0.worker) was killed with only \($0.moment.inFlight) payments in flight")
        }
        let gateways = kills.filter { $0.service == "charge-gateway" }
        if gateways.count(where: { $0.moment.held > 0 }) < Self.some {
            findings.append(
                Finding(book: "chaos", text: "too few gateways were killed while the acquirer held a request"))
        }
        if gateways.count(where: { $0.moment.intentsUnsent > 0 }) < Self.some {
            findings.append(Finding(book: "chaos", text: "too few gateways were killed between intent and send"))
        }
        return findings
    }

    /// Every kill, and the time until each service was ready again.
    var lines: [String] {
        var table = Table(numbers: [1, 2, 3, 4])
        table.add("killed", "in flight", "held by acquirer", "intent, unsent", "ready again after")
        for kill in kills {
            table.add(
                kill.worker, "\(kill.moment.inFlight)", "\(kill.moment.held)", "\(kill.moment.intentsUnsent)",
                kill.recovery.text)
        }
        return table.lines
            + services.map { service in
                let recoveries = Latencies(kills.filter { $0.service == service }.map(\.recovery))
                return "  \(service): killed \(recoveries.count) times, ready again after "
                    + "\(recoveries.percentile(0.5).text) (p50), \(recoveries.percentile(1).text) at most"
            }
    }
}
