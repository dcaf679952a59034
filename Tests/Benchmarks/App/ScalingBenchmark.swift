import Foundation
import SandboxDemo

/// Whole payments at full speed: two gateways and two ledgers beside one of each, over 1, 4 and 12 partitions.
struct ScalingBenchmark: Benchmark {
    let name = "scaling"
    let limit = """
        The cores: services, PostgreSQL, Kafka, the acquirer and the load (128 customers) share them. More workers win where \
        there are more cores. On two there is nothing to win: groups are smaller, so that a payment costs more, and a tenth \
        to a seventh fewer are paid. Each gateway gets the other's notifications.
        """
    private static let rounds = 5
    /// Several for each slot at the acquirer: with fewer, two workers step less at a time than one, whatever the cores.
    private static let customers = 128
    /// What two of each may lose on cores that one of each uses up already.
    private static let share = 0.85

    func run(on bench: Bench) async throws -> [Row] {
        var rows: [Row] = []
        for partitions: Int32 in [1, 4, 12] { rows.append(try await row(partitions, bench)) }
        return rows
    }

    /// Both systems run all the time and work in turns, so that a busy machine slows both alike.
    private func row(_ partitions: Int32, _ bench: Bench) async throws -> Row {
        try await SandboxSystem.run(bench.system(processes: 1, partitions: partitions)) { one in
            try await SandboxSystem.run(bench.system(processes: 2, partitions: partitions)) { two in
                let seconds = 5 * Double(bench.scale) / 100
                for system in [one, two] { _ = try await measure(system, seconds: seconds / 2) }
                var best = (one: Measured(), two: Measured())
                for _ in 0..<Self.rounds {
                    best.one = max(best.one, try await measure(one, seconds: seconds))
                    best.two = max(best.two, try await measure(two, seconds: seconds))
                }
                let text = [best.two.cost, best.one.cost, best.two.ownCost, best.two.acquirerCost].map {
                    String(format: "%.2f", $0 * 1_000)
                }
                return Row(
                    name: "two gateways and ledgers, \(partitions) partitions", value: best.two.rate,
                    unit: "payments/s", yardstick: ("one of each", best.one.rate), bound: .atLeastShare(Self.share),
                    aim: .atLeastShare(1),
                    remark: "CPU of services and PostgreSQL a payment: \(text[0]) ms, one of each \(text[1]) ms; the "
                        + "load \(text[2]) ms, the acquirer \(text[3]) ms; \(bench.flush)")
            }
        }
    }

    private struct Measured: Comparable {
        /// Payments per second.
        var rate = 0.0
        /// CPU-seconds per payment: of services and PostgreSQL, of the load, of the acquirer.
        var cost = 0.0
        var ownCost = 0.0
        var acquirerCost = 0.0

        static func < (left: Self, right: Self) -> Bool { left.rate < right.rate }
    }

    private func measure(_ system: SandboxSystem, seconds: Double) async throws -> Measured {
        func used() -> [Double] {
            let acquirer = system.processes["acquirer"].map { ProcessTime.seconds(of: $0) } ?? 0
            let all = system.processes.values.reduce(0) { $0 + ProcessTime.seconds(of: $1) }
            return [all - acquirer, acquirer]
        }
        var load = try system.load()
        load.time = .seconds(seconds)
        load.customers = Self.customers
        let before = used()
        let result = try await Load(load).play()
        guard result.isComplete, result.paid > 0 else { throw BenchError("not every payment has an outcome") }
        let costs = zip(before, used()).map { ($1 - $0) / Double(result.paid) }
        return Measured(
            rate: Double(result.paid) / (result.elapsed / .seconds(1)), cost: costs[0],
            ownCost: result.cpuTime / .seconds(1) / Double(result.paid), acquirerCost: costs[1])
    }
}
