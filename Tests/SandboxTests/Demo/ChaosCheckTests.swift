import Testing

@testable import SandboxDemo

@Suite("Whether the kills were hard enough")
struct ChaosCheckTests {
    /// Ten kills of each service. Of the gateways' kills, the first three happen while the acquirer holds their
    /// requests, the next three between intent and send.
    private static let kills: [Kill] = ["token-ingest", "charge-gateway", "order-ledger"].flatMap { service in
        (0..<10).map { number in
            Kill(
                worker: "\(service) \(number % 2 + 1)", service: service,
                moment: Kill.Moment(
                    inFlight: 20, held: number < 3 ? 4 : 0,
                    intentsUnsent: service == "charge-gateway" && (3..<6).contains(number) ? 2 : 0),
                recovery: .milliseconds(400 + number))
        }
    }

    private func findings(_ change: (inout [Kill]) -> Void) -> Int {
        var kills = Self.kills
        change(&kills)
        return ChaosCheck(kills: kills, isChaos: true).findings.count
    }

    private func changed(_ kill: Kill, _ change: (inout Kill.Moment) -> Void) -> Kill {
        var moment = kill.moment
        change(&moment)
        return Kill(worker: kill.worker, service: kill.service, moment: moment, recovery: kill.recovery)
    }

    @Test("finds nothing when they were")
    func enough() {
        #expect(findings { _ in } == 0)
    }

    @Test("requires ten kills of each service", arguments: ["token-ingest", "charge-gateway", "order-ledger"])
    func count(service: String) {
        #expect(
            findings { kills in
                if let last = kills.lastIndex(where: { $0.service == service }) { kills.remove(at: last) }
            } == 1)
        #expect(ChaosCheck(kills: [], isChaos: true).findings.count == 5)
        #expect(ChaosCheck(kills: [], isChaos: false).findings == [])
    }

    @Test("requires twenty payments in progress at every kill")
    func inFlight() {
        #expect(findings { kills in kills[7] = changed(kills[7]) { $0.inFlight = 19 } } == 1)
    }

    @Test("requires gateways killed while the acquirer held their requests, and between intent and send")
    func worstMoments() {
        #expect(findings { kills in kills = kills.map { changed($0) { $0.intentsUnsent = 0 } } } == 1)
        // Requests that the acquirer held while another service was killed do not count.
        #expect(
            findings { kills in
                kills = kills.map { kill in
                    changed(kill) { if kill.service == "charge-gateway" { $0.held = 0 } }
                }
            } == 1)
    }

    @Test("requires of a storm that broker and database failed too, and fewer kills")
    func storm() {
        let half = Self.kills.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        func findings(_ kills: [Kill], broker: Int = 2, database: Int = 2) -> Int {
            ChaosCheck(
                kills: kills, isChaos: true, storm: Storm.Failures(broker: broker, database: database)
            ).findings.count
        }
        #expect(findings(half) == 0)
        #expect(findings(Array(half.dropLast())) == 1)
        #expect(findings(half, broker: 1) == 1)
        #expect(findings(half, database: 0) == 1)
        let lines = ChaosCheck(kills: half, isChaos: true, storm: Storm.Failures(broker: 2, database: 3)).lines
        #expect(lines.last == "  the broker failed 2 times, PostgreSQL crashed 3 times")
    }

    @Test("lists every kill, the payments in progress and the time until the service was ready again")
    func lines() {
        let lines = ChaosCheck(kills: Self.kills, isChaos: true).lines
        #expect(lines.count == 1 + 30 + 3)
        #expect(lines[11].split(separator: " ") == ["charge-gateway", "1", "20", "4", "0", "400", "ms"])
        #expect(lines[32] == "  charge-gateway: killed 10 times, ready again after 404 ms (p50), 409 ms at most")
    }
}
