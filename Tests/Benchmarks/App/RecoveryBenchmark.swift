import CYardstick
import Foundation
import SandboxProcesses

/// Two workers of a service share its partitions, and one is killed: the time until each partition is processed again.
///
/// Kafka reassigns a dead member's partitions when its session ends, after 6 s. A member with a name that comes back by
/// then keeps its partitions.
struct RecoveryBenchmark: Benchmark {
    let name = "recovery"
    let limit = """
        Kafka notices a member that is gone when its session ends, after 6 s (brokers allow no less by default); the others \
        notice it at their next heartbeat, within 1 s. Then each partition's start is looked up, about 25 ms each, one after \
        the other.
        """
    /// The default number of a service.
    private static let partitions: Int32 = 12

    func run(on bench: Bench) async throws -> [Row] {
        guard bench.hasRealKafka else {
            print("recovery: skipped, the embedded broker does not support member names")
            return []
        }
        let gateway = try await BenchGateway(bench, named: "charging", partitions: Self.partitions)
        defer { gateway.acquirer.signal(SIGTERM) }
        let charging = WorkerPair.Service(name: "charge-gateway", serve: gateway.serve) { _ in
            let all = try await gateway.count("sends > 0") + gateway.publish(Int(Self.partitions))
            return { try await gateway.count("sends > 0") >= all }
        }
        let ledger = try await BenchLedger(bench, named: "booking", partitions: Self.partitions)
        let booking = WorkerPair.Service(name: "order-ledger", serve: ledger.serve) { worker in
            let all = try await ledger.folded() + ledger.open(10 * Int(Self.partitions), at: worker)
            return { try await ledger.folded() >= all }
        }
        return try await rows(charging) + rows(booking)
    }

    private func rows(_ service: WorkerPair.Service) async throws -> [Row] {
        let (back, lost) = try await WorkerPair.run(service, BenchWorker.take(2, areNamed: true)) { pair in
            (
                [try await pair.kill(1, isRestarted: true), try await pair.kill(0, isRestarted: true)],
                try await pair.kill(0, isRestarted: false)
            )
        }
        let nameless = try await WorkerPair.run(service, BenchWorker.take(2, areNamed: false)) { pair in
            try await pair.kill(0, isRestarted: true)
        }
        return [
            Row(
                name: "\(service.name), named worker killed and back", value: back.max() ?? 0, unit: "s",
                bound: .atMost(3), remark: String(format: "the second %.1f s, then the first %.1f s", back[0], back[1])),
            Row(name: "\(service.name), worker killed for good", value: lost, unit: "s", bound: .atMost(8)),
            Row(name: "\(service.name), nameless worker killed, back", value: nameless, unit: "s", bound: .atMost(8)),
        ]
    }
}

extension BenchLedger {
    /// Opens orders at a worker; they are spread over the partitions at random.
    ///
    /// - Returns: the number of orders.
    fileprivate func open(_ count: Int, at worker: BenchWorker) async throws -> Int {
        let requests = [[UInt8]](repeating: Self.opening, count: count)
        let result = await HTTPLoad.run(Int32(worker.port), connections: 8, requests)
        guard let load = result?.load, load.refused == 0, load.answers == Int64(count) else {
            throw BenchError("order-ledger does not open orders")
        }
        return count
    }
}
