import Foundation
import SandboxDatabase
import SandboxProcesses

/// Facts from the journal into the books of one `order-ledger`, durable; then its audit and its replay of them.
struct LedgerBenchmark: Benchmark {
    let name = "ledger"
    let limit = """
        PostgreSQL spends as much on a fact as order-ledger: it writes the fact, the entry with its lines, and the order. On \
        two cores it does about the aim when it does nothing but copy these rows, and less on a busy machine. On \
        them the aim of audit and replay leaves 20 µs a fact, Kafka's part included. \
        Audit and replay read every fact and its entry, parse, fold and hash it again, and compare it with the books; the \
        audit also searches every column for card numbers. No function stands out in their profile: a fifth parses, a \
        sixth folds and hashes, a quarter is PostgreSQL's, and the rest is the memory of many small values. More cores bring \
        more: partitions are audited side by side, and so are folded those of two workers. Of the bytes \
        of a fact 180 are its record, packed: nearly all of that are names and hashes, which nothing packs. 210 are its \
        columns, its hash and what PostgreSQL adds, 125 its indexes. Beside them stand the lines of entries (390 a fact), \
        orders, prices and payments (320).
        """

    func run(on bench: Bench) async throws -> [Row] {
        let ledger = try await BenchLedger(bench, named: "ledger")
        let facts = try await ledger.publish(payments: bench.amount(100_000))
        let process = try ledger.serve()
        defer { process.stopBlocking() }
        try await ledger.untilFolded { $0 > 0 }
        let (begun, already) = (ContinuousClock.now, try await ledger.folded())
        func used() -> [Double] {
            [process.processID, bench.cluster.processID].map { ProcessTime.seconds(of: $0) } + [bench.kafkaSeconds]
        }
        let before = used()
        try await ledger.untilFolded { $0 >= facts }
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        let after = used()
        let memory = ProcessTime.peakMemory(of: process.processID)
        let measured = Double(facts - already)
        let costs = zip(before, after).map { String(format: "%.0f", ($1 - $0) / measured * 1e6) }
        let rates = (
            insert: try await ledger.insertRate(), read: try await ledger.readRate(facts),
            consume: try await ledger.consumeRate(facts)
        )
        let bytes = try await ledger.bytes()
        try await ledger.settle()
        return [
            Row(
                name: "order-ledger, facts folded", value: measured / seconds, unit: "facts/s",
                yardstick: ("PostgreSQL inserting these rows", rates.insert), bound: .atLeast(20_000),
                aim: .atLeast(50_000), alarm: 0.2,
                remark:
                    "\(costs[0]) µs of order-ledger, \(costs[1]) of PostgreSQL and \(costs[2]) of Kafka a fact; \(facts) facts; "
                    + "\(bench.flush); \(memory) MiB of order-ledger"),
            Row(
                name: "a fact with its indexes", value: Double(bytes.fact), unit: "bytes", bound: .atMost(600),
                isFixed: true,
                remark: "\(bytes.all) bytes with the lines of its entries, its order, price and payment"),
            try await ledger.time("audit", facts, ("C, libpq reading the rows", rates.read), alarm: 0.08),
            try await ledger.time("replay", facts, ("C, librdkafka reading the topic", rates.consume), alarm: 0.003),
        ]
    }
}
