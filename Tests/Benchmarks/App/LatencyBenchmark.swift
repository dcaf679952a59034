import Foundation
import SandboxDemo

/// A few payments a second through all services: the time from sending the token until the device gets "paid", and the
/// logged lines.
struct LatencyBenchmark: Benchmark {
    let name = "latency"
    let limit = """
        The sandbox acquirer needs 20 ms from taking a sale to its result, and signs three times with RSA-2048. The rest is \
        two ways through Kafka, five commits that are flushed, and the gateway's two signatures. The line is charge-gateway's, \
        at the payment's end, with its whole story; its steps are logged at debug.
        """
    /// Customers a second: the machine is nearly idle.
    private static let rate = 5.0

    /// Payments that came before, in the second measurement.
    private static let earlier = 13_000

    func run(on bench: Bench) async throws -> [Row] {
        let payments = bench.amount(300)
        let earlier = bench.amount(Self.earlier)
        let (early, logs, late) = try await SandboxSystem.run(bench.system(processes: 1, partitions: 4)) { system in
            // The first payments open connections, prepare statements and fill caches.
            _ = try await play(15, Self.rate, system)
            let before = try logged(system)
            let early = try await play(payments, Self.rate, system)
            let after = try logged(system)
            _ = try await play(earlier, nil, system)
            let late = try await play(payments, Self.rate, system)
            return (early, (lines: after.lines - before.lines, bytes: after.bytes - before.bytes), late)
        }
        let others = LoadResult.Step.allCases.filter { $0 != .paid }.map {
            "\($0.rawValue) " + String(format: "%.1f", milliseconds(0.5, $0, early))
        }
        return rows(
            early, "",
            remark: "\(payments) payments, \(Int(Self.rate)) a second; p50 of " + others.joined(separator: ", ")
                + "; \(bench.flush)")
            + rows(late, " after \(earlier) payments")
            + [
                Row(
                    name: "lines logged at info a payment", value: Double(logs.lines) / Double(payments), unit: "lines",
                    bound: .atMost(2), aim: .atMost(1), isFixed: true,
                    remark: "\(logs.bytes / payments) bytes")
            ]
    }

    /// - Parameter state: what the system has seen before.
    private func rows(_ result: LoadResult, _ state: String, remark: String = "") -> [Row] {
        [
            Row(
                name: "token sent → paid\(state), p50", value: milliseconds(0.5, .paid, result), unit: "ms",
                aim: .atMost(45), remark: remark),
            Row(
                name: "token sent → paid\(state), p99", value: milliseconds(0.99, .paid, result), unit: "ms",
                bound: .atMost(150), aim: .atMost(100)),
        ]
    }

    private func milliseconds(_ share: Double, _ step: LoadResult.Step, _ result: LoadResult) -> Double {
        result.percentile(share, of: step) / .milliseconds(1)
    }

    /// - Parameter rate: customers a second; nil for full speed.
    private func play(_ payments: Int, _ rate: Double?, _ system: SandboxSystem) async throws -> LoadResult {
        var load = try system.load()
        load.rate = rate
        // At full speed the groups are large.
        load.customers = rate == nil ? 256 : nil
        load.payments = payments
        let result = try await Load(load).play()
        guard result.paid == payments else {
            throw BenchError("\(payments - result.paid) of \(payments) payments were not paid")
        }
        return result
    }

    /// The total output of the three services' logs so far.
    private func logged(_ system: SandboxSystem) throws -> (lines: Int, bytes: Int) {
        try system.logs.reduce((0, 0)) { sum, log in
            let text = try Data(contentsOf: log)
            return (sum.0 + text.count { $0 == UInt8(ascii: "\n") }, sum.1 + text.count)
        }
    }
}

extension Bench {
    /// The whole system, with a database that waits for the disk.
    ///
    /// - Parameter processes: the number of charge-gateway and of order-ledger processes.
    func system(processes: Int, partitions: Int32) -> DemoOptions {
        var options = DemoOptions()
        options.bootstrapServers = bootstrapServers
        options.programs = programs
        options.run = folder
        options.isDurable = true
        options.processes = processes
        options.ingests = 1
        options.partitions = partitions
        return options
    }
}
