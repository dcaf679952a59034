import Contracts
import Foundation
import KafkaBridge
import OrchardServiceKit
import SandboxDatabase

/// Commands to charge from the topic, through one `charge-gateway`, to their outcome: intent, send, notification, query,
/// facts. The sandbox acquirer is beside it.
struct ChargeBenchmark: Benchmark {
    let name = "charges"

    func run(on bench: Bench) async throws -> [Row] {
        let gateway = try await BenchGateway(bench)
        defer { gateway.acquirer.terminate() }
        let charges = bench.amount(8_000)
        let process = try gateway.serve()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        // The first are not counted: connections, prepared statements and caches are made by them.
        let warmUp = try await gateway.publish(max(20, charges / 20))
        try await gateway.untilEnded(warmUp)
        let processes = [process.processIdentifier, bench.cluster.processID, gateway.acquirer.processIdentifier]
        let before = processes.map { ProcessTime.seconds(of: $0) }
        let begun = ContinuousClock.now
        let all = try await warmUp + gateway.publish(charges)
        try await gateway.untilEnded(all)
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        let costs = zip(before, processes.map { ProcessTime.seconds(of: $0) }).map { ($1 - $0) / Double(charges) }
        let paid = try await gateway.count("phase = 'succeeded'")
        guard paid == all else { throw BenchError("\(all - paid) of \(all) charges were not paid") }
        let words = costs.map { String(format: "%.2f", $0 * 1_000) }
        return [
            Row(
                name: "charges per CPU-second of gateway and PostgreSQL", value: 1 / (costs[0] + costs[1]),
                unit: "charges", least: .value(400),
                remark: "\(words[0]) ms of charge-gateway, \(words[1]) ms of PostgreSQL and \(words[2]) ms of the "
                    + "sandbox acquirer a charge; \(Int(Double(charges) / seconds)) charges/s")
        ]
    }
}
