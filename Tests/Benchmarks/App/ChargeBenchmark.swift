import CYardstick
import Foundation
import SandboxDatabase
import SandboxProcesses

/// Charge commands from the topic, through one `charge-gateway`, to their outcome: intent, send, notification, query,
/// facts. The sandbox acquirer runs beside it. Then the same while many older charges wait.
struct ChargeBenchmark: Benchmark {
    let name = "charges"
    let limit = """
        RSA takes a third of a charge (two signatures for the acquirer, four verifications), PostgreSQL a quarter. \
        The rest is spread over JSON, HTTP, PostgreSQL's protocol and threads that wake each other, and no function stands \
        out. Steps go in groups, so that a charge costs few commits; the more requests may be at the acquirer at once, the \
        fewer commits. The aim leaves 1.25 ms a charge. RSA and PostgreSQL need more than half of that when a C program does \
        nothing but write the same rows: it takes fewer or smaller rows, or processors with faster RSA. The acquirer beside \
        it, which does the same work in each version, tells how fast the machine was: gateway and PostgreSQL together need \
        about 1.6 times its time.
        """
    private static let waiting = 100_000

    func run(on bench: Bench) async throws -> [Row] {
        let gateway = try await BenchGateway(bench, named: "charges")
        defer { gateway.acquirer.signal(SIGTERM) }
        let process = try gateway.serve()
        defer { process.stopBlocking() }
        // The first charges are not counted: they open connections, prepare statements and fill caches.
        _ = try await charge(bench.amount(400), gateway, process, bench)
        let alone = try await charge(bench.amount(8_000), gateway, process, bench)
        let memory = ProcessTime.peakMemory(of: process.processID)
        try await gateway.tidyTables()
        let before = try await charge(bench.amount(2_000), gateway, process, bench)
        try await gateway.leaveWaiting(Self.waiting)
        try await gateway.tidyTables()
        let beside = try await charge(bench.amount(2_000), gateway, process, bench)
        process.stopBlocking()
        try await gateway.tidyTables()
        let writing = try await gateway.writingCost(bench.amount(4_000))
        let count: Int64 = 500
        let nanoseconds = yardstick_charge(count)
        guard nanoseconds > 0 else { throw BenchError("the yardstick fails") }
        return [
            Row(
                name: "charges per CPU-second of gateway and PostgreSQL", value: 1 / alone.cost, unit: "charges",
                yardstick: ("their RSA alone", Double(count) / Double(nanoseconds) * 1e9),
                bound: .atLeast(400), aim: .atLeast(800), alarm: 0.1,
                remark: "\(alone); "
                    + String(format: "%.2f ms of PostgreSQL when C and libpq write the same rows, ", writing * 1e3)
                    + "\(BenchGateway.group) charges a transaction; \(bench.flush); \(memory) MiB of charge-gateway"),
            Row(
                name: "charges per CPU-second beside \(Self.waiting) that wait", value: 1 / beside.cost,
                unit: "charges",
                yardstick: ("those before them", 1 / before.cost), bound: .atLeastShare(0.8), alarm: 0.4,
                remark: "\(beside); before them \(before); \(bench.flush)"),
        ]
    }

    private func charge(
        _ charges: Int, _ gateway: BenchGateway, _ process: ChildProcess, _ bench: Bench
    ) async throws -> ChargeCost {
        let processes = [process.processID, bench.cluster.processID, gateway.acquirer.processID]
        let paidBefore = try await gateway.count("phase = 'succeeded'")
        let (before, kafkaBefore) = (processes.map { ProcessTime.seconds(of: $0) }, bench.kafkaSeconds)
        let (begun, commitsBefore) = (ContinuousClock.now, try await gateway.commits())
        let ended = try await paidBefore + gateway.publish(charges)
        try await gateway.untilEnded(ended)
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        let costs = zip(before, processes.map { ProcessTime.seconds(of: $0) }).map { ($1 - $0) / Double(charges) }
        let kafka = (bench.kafkaSeconds - kafkaBefore) / Double(charges)
        let commits = Double(try await gateway.commits() - commitsBefore) / Double(charges)
        let paid = try await gateway.count("phase = 'succeeded'")
        guard paid == ended else { throw BenchError("\(ended - paid) of \(ended) charges were not paid") }
        return ChargeCost(
            gateway: costs[0], database: costs[1], acquirer: costs[2], kafka: kafka, commits: commits,
            rate: Double(charges) / seconds)
    }
}

/// The cost of a charge, in CPU-seconds.
private struct ChargeCost: CustomStringConvertible {
    let gateway: Double
    let database: Double
    let acquirer: Double
    let kafka: Double
    let commits: Double
    /// Charges per second of wall time.
    let rate: Double

    var cost: Double { gateway + database }

    var description: String {
        String(
            format:
                "%.2f ms of charge-gateway, %.2f of PostgreSQL, %.2f of the sandbox acquirer and %.2f of Kafka a charge; "
                + "%.0f charges/s; %.1f commits a charge", gateway * 1e3, database * 1e3, acquirer * 1e3, kafka * 1e3,
            rate, commits)
    }
}
