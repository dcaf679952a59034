import CYardstick
import Contracts
import Foundation
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// The yardsticks of the ledger's figures.
extension BenchLedger {
    private static let page: Int64 = 1_000

    /// The facts per second that PostgreSQL alone inserts: copies the rows of the books into tables with the same
    /// columns, with as many rows in a transaction as a batch has.
    ///
    /// - Parameter others: further tables with rows of orders.
    func insertRate(with others: [String] = []) async throws -> Double {
        let tables = ["facts", "entries", "orders", "order_offers", "payments"] + others
        try await owner.execute("CREATE SCHEMA yardstick")
        for table in tables {
            try await owner.execute("CREATE TABLE yardstick.\(table) (LIKE ledger.\(table) INCLUDING ALL)")
        }
        let begun = ContinuousClock.now
        var facts = 0
        for (partition, offsets) in try await pages() {
            facts += try await owner.transaction { connection in
                let results = try await connection.pipeline(
                    tables.map { table in
                        let isJournal = table == "facts" || table == "entries"
                        let rows =
                            isJournal
                            ? #""offset" BETWEEN $2 AND $3"#
                            : """
                            order_id IN (SELECT order_id FROM ledger.facts WHERE partition = $1
                                AND "offset" BETWEEN $2 AND $3 AND event_type = 'orchard.order.opened.v1')
                            """
                        return PostgresStatement(
                            "INSERT INTO yardstick.\(table) SELECT * FROM ledger.\(table) WHERE partition = $1 AND \(rows)",
                            [partition, offsets.lowerBound, offsets.upperBound])
                    })
                return results[0].affectedRows
            }
        }
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        try await owner.execute("DROP SCHEMA yardstick CASCADE")
        return Double(facts) / seconds
    }

    /// The facts per second whose rows a C program reads on one connection and ignores.
    func readRate(_ facts: Int) async throws -> Double {
        let statements = try await pages().flatMap { partition, offsets in
            ["facts", "entries"].map {
                """
                SELECT * FROM ledger.\($0) WHERE partition = \(partition)
                    AND "offset" BETWEEN \(offsets.lowerBound) AND \(offsets.upperBound) ORDER BY "offset"
                """
            }
        }
        let nanoseconds = await Yardstick.run { [database] in
            Yardstick.with(statements) { yardstick_read(database, $0, Int32(statements.count)) }
        }
        guard nanoseconds > 0 else { throw BenchError("libpq alone did not read the books") }
        return Double(facts) / (Double(nanoseconds) / 1e9)
    }

    /// The facts per second that a C program reads from the topic and ignores.
    func consumeRate(_ facts: Int) async throws -> Double {
        let nanoseconds = await Yardstick.run { [kafka] in
            yardstick_consume(
                kafka.bootstrapServers, kafka.namespace + Topic.journal.name, partitions, Int64(facts))
        }
        guard nanoseconds > 0 else { throw BenchError("librdkafka alone did not read the journal") }
        return Double(facts) / (Double(nanoseconds) / 1e9)
    }

    /// The bytes of a fact on disk with its indexes, and with all other tables: entries, orders, prices, payments.
    func bytes() async throws -> (fact: Int64, all: Int64) {
        let rows = try await owner.query(
            """
            SELECT sum(pg_total_relation_size(c.oid))::bigint / facts.count AS all,
                pg_total_relation_size('ledger.facts') / facts.count AS fact
            FROM pg_class c, (SELECT greatest(1, count(*)) AS count FROM ledger.facts) AS facts
            WHERE relnamespace = 'ledger'::regnamespace AND relkind = 'r' GROUP BY facts.count
            """)
        return try rows.first.map { (try $0.int64("fact"), try $0.int64("all")) } ?? (0, 0)
    }

    /// Ranges of offsets that hold the books.
    private func pages() async throws -> [(Int32, ClosedRange<Int64>)] {
        try await owner.query("SELECT partition, last_offset FROM ledger.chain_heads ORDER BY partition").flatMap {
            row in
            let (partition, last) = (try row.int32("partition"), try row.int64("last_offset"))
            return stride(from: 0, through: last, by: Int64.Stride(Self.page)).map {
                (partition, $0...$0 + Self.page - 1)
            }
        }
    }
}
