import Foundation
import SandboxDemo

/// Payments through two gateways and two ledgers, of which one is killed and started again: the time until their devices
/// hear "paid".
struct KillBenchmark: Benchmark {
    let name = "kill"
    let limit = """
        A worker with a name that is started again has its partitions back after about a second. Meanwhile payments of the \
        other worker's partitions go on, and devices ask again until they hear their outcome.
        """
    /// Customers a second.
    private static let rate = 10.0
    private static let partitions: Int32 = 12

    func run(on bench: Bench) async throws -> [Row] {
        guard bench.hasRealKafka else {
            print("kill: skipped, the embedded broker does not support member names")
            return []
        }
        var options = bench.system(processes: 2, partitions: Self.partitions)
        options.areMembersNamed = true
        return try await SandboxSystem.run(options) { system in
            // The first payments open connections, prepare statements and fill caches.
            let quiet = try await play(system, bench)
            return [
                try await row("charge-gateway", system, quiet, bench),
                try await row("order-ledger", system, quiet, bench),
            ]
        }
    }

    private func row(
        _ service: String, _ system: SandboxSystem, _ quiet: LoadResult, _ bench: Bench
    ) async throws -> Row {
        let result = try await play(system, bench, killing: "\(service) 1")
        func seconds(_ share: Double, _ result: LoadResult) -> Double {
            result.percentile(share, of: .paid) / .seconds(1)
        }
        return Row(
            name: "paid while \(service) is killed, p95", value: seconds(0.95, result),
            unit: "s", aim: .atMost(3),
            remark: String(
                format: "p50 %.2f, slowest %.2f; before it p95 %.2f", seconds(0.5, result), seconds(1, result),
                seconds(0.95, quiet))
                + "; \(result.paid) payments, \(Int(Self.rate)) a second, all paid; \(bench.flush)")
    }

    /// - Parameter worker: killed after a quarter of the time, and started again at once.
    private func play(
        _ system: SandboxSystem, _ bench: Bench, killing worker: String? = nil
    ) async throws -> LoadResult {
        var load = try system.load()
        load.rate = Self.rate
        let payments = bench.amount(200)
        load.payments = payments
        let kill = Duration.seconds(Double(payments) / Self.rate / 4)
        let result = try await withThrowingTaskGroup(of: Void.self) { [load] group in
            if let worker {
                group.addTask {
                    try await Task.sleep(for: kill)
                    try await system.restart(worker)
                }
            }
            let result = try await Load(load).play()
            try await group.waitForAll()
            return result
        }
        guard result.paid == payments else {
            throw BenchError("\(payments - result.paid) of \(payments) payments were not paid")
        }
        return result
    }
}
