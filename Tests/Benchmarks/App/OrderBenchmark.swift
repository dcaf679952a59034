import CYardstick
import Foundation
import OrchardServiceKit
import SandboxBroker
import SandboxDatabase
import SandboxProcesses

/// Orders that a shop opens at a real order-ledger, which also publishes and books each.
struct OrderBenchmark: Benchmark {
    let name = "orders"
    let limit = """
        An order costs a signature of its ticket, rows, a fact in the outbox, its way through Kafka, and its entry in the \
        books. Orders that come together share a transaction. On two cores they share these with Kafka and with the clients \
        of this program. PostgreSQL alone takes a thousand of them in a transaction, and waits for nobody.
        """
    private static let connections: Int32 = 32

    func run(on bench: Bench) async throws -> [Row] {
        let ledger = try await BenchLedger(bench, named: "orders")
        let port = try FreePorts.take(1)[0]
        let process = try ledger.serve(port: port)
        defer { process.stopBlocking() }
        try await HTTPLoad.untilAnswered(port)
        _ = await HTTPLoad.run(Int32(port), connections: Self.connections, [BenchLedger.opening], seconds: 1)
        func used() -> [Double] {
            [process.processID, bench.cluster.processID].map { ProcessTime.seconds(of: $0) } + [bench.kafkaSeconds]
        }
        let before = used()
        guard
            let result = await HTTPLoad.run(
                Int32(port), connections: Self.connections, [BenchLedger.opening],
                seconds: 5 * Double(bench.scale) / 100),
            result.load.refused == 0
        else { throw BenchError("order-ledger does not open orders") }
        let after = used()
        let count = Double(result.load.answers)
        let costs = zip(before, after).map { String(format: "%.2f", ($1 - $0) / count * 1e3) }
        try await ledger.untilFolded { $0 >= Int(result.load.answers) }
        let memory = ProcessTime.peakMemory(of: process.processID)
        process.stopBlocking()
        return [
            Row(
                name: "order-ledger, orders opened", value: count / Double(result.load.nanoseconds) * 1e9,
                unit: "orders/s",
                yardstick: (
                    "PostgreSQL inserting these rows", try await ledger.insertRate(with: ["offered_orders", "offers"])
                ),
                bound: .atLeast(1_500), aim: .atLeast(2_500),
                remark:
                    "\(costs[0]) ms of order-ledger, \(costs[1]) of PostgreSQL and \(costs[2]) of Kafka an order, published and "
                    + "booked; \(bench.flush); "
                    + "\(memory) MiB of order-ledger")
        ]
    }
}

extension HTTPLoad {
    /// Waits until a server answers `/healthz`.
    static func untilAnswered(_ port: Int) async throws {
        let probe = Array("GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n".utf8)
        let deadline = ContinuousClock.now + .seconds(60)
        while await run(Int32(port), connections: 1, [probe]) == nil {
            guard ContinuousClock.now < deadline else { throw BenchError("no answer on port \(port)") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
