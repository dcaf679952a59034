import Foundation
import SandboxDatabase
import SandboxProcesses

/// Whether a fact costs the same when the books are large: from ten thousand facts to a million.
struct GrowthBenchmark: Benchmark {
    let name = "growth"
    let limit = """
        Statements compare keys and never scan ranges of old rows: only the depth of the indexes grows. PostgreSQL is \
        first brought into the state of one that has run for a while: its buffers have their memory, and it uses the \
        files of its write-ahead log again. In a new one, on a virtual machine, its share rises by a third or doubles \
        within one second, when pages begin to come from the host: by a profile, to create files of the log and to \
        extend tables took 7 % of PostgreSQL's time before it and 27 % after it. Autovacuum looks at the tables once a \
        minute; in the last range its second of analysis is about 2 µs of each fact. In larger books it is less. What \
        follows was measured on a new PostgreSQL, before the row had a warm-up. [performance-growth.txt](performance-growth.txt) has what `--only growth --scale 1000` printed for ten million facts \
        (20 minutes, 30 GB of disk, while programs were compiled beside it). On a faster machine it was 33 + 35 µs near 100,000, \
        29 + 29 near a million and 25 + 31 near ten million. That needs memory for PostgreSQL: with `shared_buffers` of \
        256 MB instead of 2 GB and PostgreSQL's own `max_wal_size` it was 27 + 22, 29 + 26 and 31 + 38 there, because the \
        index of the payments' identifiers, which are random, no longer fitted.
        """

    func run(on bench: Bench) async throws -> [Row] {
        let ledger = try await BenchLedger(bench, named: "growth")
        let facts = try await ledger.publish(payments: bench.amount(333_334))
        try await ledger.warmUp(facts: facts)
        let process = try ledger.serve()
        defer { process.stopBlocking() }
        let processes = [process.processID, bench.cluster.processID]
        var samples: [(facts: Int, seconds: [Double])] = []
        try await ledger.untilFolded { count in
            samples.append((count, processes.map { ProcessTime.seconds(of: $0) }))
            return count >= facts
        }
        /// Microseconds per fact between two counts, of each process.
        func costs(_ range: ClosedRange<Int>) throws -> (ledger: Double, database: Double) {
            guard let first = samples.first(where: { $0.facts >= range.lowerBound }),
                let last = samples.first(where: { $0.facts >= range.upperBound }), last.facts > first.facts
            else { throw BenchError("too few facts to see growth: give a larger --scale") }
            let costs = zip(first.seconds, last.seconds).map { ($1 - $0) / Double(last.facts - first.facts) * 1e6 }
            return (costs[0], costs[1])
        }
        func text(_ cost: (ledger: Double, database: Double), _ facts: Int) -> String {
            String(format: "%.0f + %.0f µs at %d facts", cost.ledger, cost.database, facts)
        }
        // The first facts also pay for one-time work: the lower of two early costs is compared.
        let (early, middle) = (try costs(facts / 100...facts / 20), try costs(facts / 10...facts / 5))
        // Long enough that one run of autovacuum or one checkpoint does not decide.
        let late = try costs(facts * 6 / 10...facts)
        func sum(_ cost: (ledger: Double, database: Double)) -> Double { cost.ledger + cost.database }
        return [
            Row(
                name: "order-ledger, cost of a fact early ÷ late", value: min(sum(early), sum(middle)) / sum(late),
                unit: "",
                bound: .atLeast(0.8),
                remark: "order-ledger + PostgreSQL: \(text(early, facts / 100)), \(text(middle, facts / 10)), "
                    + "\(text(late, facts)); \(bench.flush); \(ProcessTime.peakMemory(of: process.processID)) MiB of "
                    + "order-ledger")
        ]
    }
}
