/// Whether the kills happened at hard enough moments.
struct ChaosCheck {
    static let killsPerService = 10
    /// The least number of kills of each service in a storm, which lasts as long as its orders.
    static let killsInStorm = 5
    static let minimumInFlight = 20
    /// The least number of gateway kills at each of the two worst moments.
    static let some = 2

    let kills: [Kill]
    let isChaos: Bool
    /// What else failed; nil without a storm.
    var storm: Storm.Failures?

    private var services: [String] { ["token-ingest", "charge-gateway", "order-ledger"] }

    var findings: [Finding] {
        guard isChaos else { return [] }
        let least = storm == nil ? Self.killsPerService : Self.killsInStorm
        var findings = services.compactMap { service in
            let count = kills.count { $0.service == service }
            return count >= least
                ? nil : Finding(book: "chaos", text: "\(service) was killed \(count) times, not \(least)")
        }
        findings += kills.filter { $0.moment.inFlight < Self.minimumInFlight }.map {
            Finding(book: "chaos", text: "\($0.worker) was killed with only \($0.moment.inFlight) payments in flight")
        }
        if let storm { return findings + storm.findings }
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

    /// Every kill (in a storm only their number), and the time until each service was ready again.
    var lines: [String] {
        var table = Table(numbers: [1, 2, 3, 4])
        table.add("killed", "in flight", "held by acquirer", "intent, unsent", "ready again after")
        for kill in kills {
            table.add(
                kill.worker, "\(kill.moment.inFlight)", "\(kill.moment.held)", "\(kill.moment.intentsUnsent)",
                kill.recovery.text)
        }
        return (storm == nil ? table.lines : [])
            + services.map { service in
                let recoveries = Latencies(kills.filter { $0.service == service }.map(\.recovery))
                return "  \(service): killed \(recoveries.count) times, ready again after "
                    + "\(recoveries.percentile(0.5).text) (p50), \(recoveries.percentile(1).text) at most"
            } + (storm.map { [$0.line] } ?? [])
    }
}
