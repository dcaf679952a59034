import Foundation
import OrchardServiceKit

/// `orchard-bench`: how fast the parts are, each beside a yardstick of the same run.
@main
struct BenchProgram {
    static func main() async {
        await CommandLineProgram(version: Build.version, root: command).main()
    }

    private static let benchmarks: [any Benchmark] = [
        ConsumeBenchmark(), ChargeBenchmark(), LedgerBenchmark(), GrowthBenchmark(), OrderBenchmark(),
        PaymentBenchmark(),
    ]
    private static let local: [any LocalBenchmark] = [HTTPBenchmark(), SealingBenchmark(), TokenBenchmark()]
    private static let names = local.map(\.name) + benchmarks.map(\.name)

    private static let command = Command(
        name: "orchard-bench", summary: "measure the parts on this machine, each beside a yardstick of the same run",
        discussion: """
            Starts what it needs: PostgreSQL with fsync, and the Kafka of ../shared/kafka where that is; else the embedded \
            broker. Exit status 0 when each row reaches its least value.
            """,
        options: [
            .value("only", "NAME", help: "One of: \(names.joined(separator: ", "))."),
            .value("scale", "N", help: "A percentage of the usual amount of work, default 100."),
            .value("bootstrap-servers", "HOST:PORT", help: "A Kafka that is there already."),
            .value("programs", "DIR", help: "The services of another build, to compare two versions."),
        ],
        examples: [.init("orchard-bench --only ledger", "one of them")]
    ) { invocation in
        let scale = Int(invocation[option: "scale"] ?? "100") ?? 0
        guard (1...10_000).contains(scale) else { throw UsageError("--scale is a percentage") }
        let chosen = benchmarks.filter { invocation[option: "only"] ?? $0.name == $0.name }
        let chosenLocal = local.filter { invocation[option: "only"] ?? $0.name == $0.name }
        guard !chosen.isEmpty || !chosenLocal.isEmpty else {
            throw UsageError("--only is one of: \(names.joined(separator: ", "))")
        }
        var isLocalReached = true
        for benchmark in chosenLocal {
            if try await !show(benchmark.run(scale: scale)) { isLocalReached = false }
        }
        guard !chosen.isEmpty else { return isLocalReached ? 0 : 1 }
        let bench = try await Bench(
            bootstrapServers: invocation[option: "bootstrap-servers"],
            programs: invocation[option: "programs"].map { URL(filePath: $0) }, scale: scale)
        do {
            let isReached = try await run(chosen, on: bench)
            await bench.end()
            return isReached && isLocalReached ? 0 : 1
        } catch {
            await bench.end()
            throw error
        }
    }
}

extension BenchProgram {
    /// - Returns: whether each row reaches its least value.
    private static func run(_ benchmarks: [any Benchmark], on bench: Bench) async throws -> Bool {
        print(bench.machine)
        var isReached = true
        for benchmark in benchmarks {
            if try await !show(benchmark.run(on: bench)) { isReached = false }
        }
        return isReached
    }

    /// - Returns: whether each row reaches its least value.
    private static func show(_ rows: [Row]) -> Bool {
        for row in rows { print(row) }
        return rows.allSatisfy(\.isReached)
    }
}

/// Something that is measured.
protocol Benchmark: Sendable {
    var name: String { get }
    func run(on bench: Bench) async throws -> [Row]
}
