import Foundation
import SandboxDemo

/// Whole payments at full speed: two gateways and two ledgers beside one of each, over 1, 4 and 12 partitions.
struct ScalingBenchmark: Benchmark {
    let name = "scaling"
    let limit = """
        The cores: services, PostgreSQL, Kafka, the acquirer and the load (512 customers) share them. More workers win where \
        there are more cores. On two there is nothing to win: groups are smaller, so that a payment costs more. Each gateway \
        gets the other's notifications. The services share a session here, so that a group that begins lets the others run \
        first. On Linux 6.6 and later that ends at a control group: with one for each worker, as under systemd or in \
        containers, two of each reached 0.75 and 0.82 of one over 12 partitions, in two sessions on another machine, when a \
        group let others run up to eight times.
        """
    private static let rounds = 5
    /// Several for each slot at the acquirer: with fewer, two workers step less at a time than one, whatever the cores.
    private static let customers = 512
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
                for system in [one, two] { _ = try await measure(system, seconds: seconds / 2, bench) }
                var rounds: [(one: Measured, two: Measured)] = []
                for index in 0..<Self.rounds {
                    // In both orders: PostgreSQL still works a little behind each load.
                    let isTwoFirst = !index.isMultiple(of: 2)
                    let first = try await measure(isTwoFirst ? two : one, seconds: seconds, bench)
                    let second = try await measure(isTwoFirst ? one : two, seconds: seconds, bench)
                    rounds.append(isTwoFirst ? (second, first) : (first, second))
                }
                let round = rounds.median { $0.two.rate / $0.one.rate }
                return Row(
                    name: "two gateways and ledgers, \(partitions) partitions", value: round.two.rate,
                    unit: "payments/s", yardstick: ("one of each", round.one.rate), bound: .atLeastShare(Self.share),
                    aim: .atLeastShare(1),
                    remark: "CPU of services and PostgreSQL a payment: \(round.two), one of each \(round.one); "
                        + "\(bench.flush)")
            }
        }
    }

    private struct Measured: CustomStringConvertible {
        /// Payments per second.
        let rate: Double
        /// CPU-seconds per payment, by program.
        let costs: [String: Double]

        var description: String {
            func text(_ seconds: Double) -> String { String(format: "%.2f", seconds * 1_000) }
            let programs = ["token-ingest", "charge-gateway", "order-ledger", "postgres"]
            let parts = programs.map { "\(text(costs[$0, default: 0])) \($0)" }.joined(separator: ", ")
            let sum = programs.reduce(0) { $0 + costs[$1, default: 0] }
            let others = ["load", "acquirer", "kafka"].map { "\(text(costs[$0, default: 0])) the \($0)" }
            return "\(text(sum)) ms (\(parts); beside them \(others.joined(separator: ", ")))"
        }
    }

    private func measure(_ system: SandboxSystem, seconds: Double, _ bench: Bench) async throws -> Measured {
        func used() -> [String: Double] {
            system.processes.reduce(into: ["kafka": bench.kafkaSeconds]) { sums, process in
                let program = String(process.key.prefix { $0 != " " })
                sums[program, default: 0] += ProcessTime.seconds(of: process.value)
            }
        }
        var load = try system.load()
        load.time = .seconds(seconds)
        load.customers = Self.customers
        let before = used()
        let result = try await Load(load).play()
        guard result.isComplete, result.paid > 0 else { throw BenchError("not every payment has an outcome") }
        let after = used().merging(["load": result.cpuTime / .seconds(1)]) { first, _ in first }
        let costs = after.reduce(into: [:]) { costs, sum in
            costs[sum.key] = (sum.value - before[sum.key, default: 0]) / Double(result.paid)
        }
        return Measured(rate: Double(result.paid) / (result.elapsed / .seconds(1)), costs: costs)
    }
}
