import Foundation
import OrchardServiceKit

/// `orchard-bench`: measures the speed of the parts, each beside a yardstick of the same run.
@main
struct BenchProgram {
    static func main() async {
        await CommandLineProgram(root: command).main()
    }

    private static let benchmarks: [any Benchmark] = [
        ConsumeBenchmark(), ChargeBenchmark(), LedgerBenchmark(), GrowthBenchmark(), OrderBenchmark(),
        PaymentBenchmark(), LatencyBenchmark(), ScalingBenchmark(), RecoveryBenchmark(), KillBenchmark(),
    ]
    private static let local: [any LocalBenchmark] = [HTTPBenchmark(), SealingBenchmark(), TokenBenchmark()]
    /// The benchmarks that `--check` runs: their rows have an alarm, or a bound that holds on every machine.
    private static let checked: Set = [
        "http", "sealing", "tokens", "consume", "charges", "ledger", "payments", "latency",
    ]
    private static let names = local.map(\.name) + benchmarks.map(\.name)

    private static let command = Command(
        name: "orchard-bench", summary: "measure the parts on this machine, each beside a yardstick of the same run",
        discussion: """
            Starts what it needs: PostgreSQL with fsync, and the Kafka that the script ../shared/kafka/kafka starts if it \
            exists (it is no part of the repository), else the embedded broker. Exit status 0 when each row is within its bound, \
            with --check within its alarm.
            """,
        options: [
            .value("only", "NAME", help: "One of: \(names.joined(separator: ", "))."),
            .value("scale", "N", help: "A percentage of the usual amount of work, default 100."),
            .flag("check", help: "A short run that fails when a row is far too slow; absolute figures do not count."),
            .value(
                "record", "DIR",
                help: "Writes performance.md of a whole run there, and performance.txt with the output."),
            .value("bootstrap-servers", "HOST:PORT", help: "A Kafka that is already running."),
            .value("programs", "DIR", help: "The services of another build, to compare two versions."),
        ],
        examples: [.init("orchard-bench --only ledger", "one of them")]
    ) { invocation in
        let isCheck = invocation.has("check")
        let scale = Int(invocation[option: "scale"] ?? (isCheck ? "10" : "100")) ?? 0
        guard (1...10_000).contains(scale) else { throw UsageError("--scale is a percentage") }
        let only = invocation[option: "only"]
        let isChosen = { (name: String) in only.map { $0 == name } ?? (!isCheck || checked.contains(name)) }
        guard names.contains(where: isChosen) else {
            throw UsageError("--only is one of: \(names.joined(separator: ", "))")
        }
        guard invocation[option: "record"] == nil || (only == nil && !isCheck) else {
            throw UsageError("--record is for a whole run: leave out --only and --check")
        }
        // Before: a run takes a quarter of an hour.
        if let folder = invocation[option: "record"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        var report = Report(isCheck: isCheck)
        let begun = ContinuousClock.now
        // Before any server is started: a Kafka that begins compiles its code for a quarter of a minute.
        report.describe(Machine.description)
        for benchmark in local where isChosen(benchmark.name) {
            report.add(benchmark.name, limit: benchmark.limit, try await benchmark.run(scale: scale))
        }
        let chosen = benchmarks.filter { isChosen($0.name) }
        if !chosen.isEmpty {
            let bench = try await Bench(
                bootstrapServers: invocation[option: "bootstrap-servers"],
                programs: invocation[option: "programs"].map { URL(filePath: $0) }, scale: scale)
            do { try await run(chosen, on: bench, &report) } catch {
                await bench.end()
                throw error
            }
            await bench.end()
        }
        report.say(String(format: "measured in %.0f s", (ContinuousClock.now - begun) / .seconds(1)))
        if let folder = invocation[option: "record"] { try report.write(to: URL(filePath: folder)) }
        return report.isReached ? 0 : 1
    }

    private static func run(_ benchmarks: [any Benchmark], on bench: Bench, _ report: inout Report) async throws {
        report.describe(bench.servers)
        for benchmark in benchmarks {
            do {
                report.add(benchmark.name, limit: benchmark.limit, try await benchmark.run(on: bench))
            } catch {
                report.add(benchmark.name, failure: error)
            }
            try await bench.tidy()
        }
    }
}

/// A part that is measured.
protocol Benchmark: Sendable {
    var name: String { get }
    /// What limits it, for readers of the figures.
    var limit: String { get }
    func run(on bench: Bench) async throws -> [Row]
}
