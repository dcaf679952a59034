import Foundation
import SandboxDatabase
import SandboxProcesses

/// Whether a fact costs the same when the books are large: from ten thousand facts to a million.
struct GrowthBenchmark: Benchmark {
    let name = "growth"
    let limit = """
        Statements compare keys and never scan ranges of old rows: only the depth of the indexes grows.
        """

    func run(on bench: Bench) async throws -> [Row] {
        let ledger = try await BenchLedger(bench, named: "growth")
        let facts = try await ledger.publish(payments: bench.amount(333_334))
        let process = try ledger.serve()
        defer { process.stopBlocking() }
        let processes = [process.processID, bench.cluster.processID]
        var samples: [(facts: Int, seconds: [Double])] = []
        try await ledger.untilFolded { count in
            samples.append((count, processes.map { ProcessTime.seconds(of: $0) }))
            return count >= facts
        }
        /// Microseconds per fact between two counts, of both processes.
        func cost(_ range: ClosedRange<Int>) throws -> Double {
            guard let first = samples.first(where: { $0.facts >= range.lowerBound }),
                let last = samples.first(where: { $0.facts >= range.upperBound }), last.facts > first.facts
            else { throw BenchError("too few facts to see growth: give a larger --scale") }
            return zip(first.seconds, last.seconds).reduce(0) { $0 + $1.1 - $1.0 } / Double(last.facts - first.facts)
                * 1e6
        }
        // The first facts also pay for one-time work: the lower of two early costs is compared.
        let (early, middle) = (try cost(facts / 100...facts / 20), try cost(facts / 10...facts / 5))
        let late = try cost(facts * 9 / 10...facts)
        return [
            Row(
                name: "order-ledger, cost of a fact early ÷ late", value: min(early, middle) / late, unit: "",
                bound: .atLeast(0.8),
                remark: String(
                    format: "%.0f µs at %d facts, %.0f µs at %d, %.0f µs at %d, of order-ledger and PostgreSQL", early,
                    facts / 100, middle, facts / 10, late, facts))
        ]
    }
}
