import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Reads and writes partitions of the journal tables.
enum JournalStore {
    /// The statements that read what batches of several partitions need: their orders, and the events that they repeat.
    /// They must run in the transaction that holds the partitions' watermarks.
    static func opening(for batches: [FactBatch]) -> [PostgresStatement] {
        let names = Array(
            Set(
                batches.flatMap { batch in
                    batch.records.compactMap { $0.fact?.name }.map { EventPlace(partition: batch.partition, name: $0) }
                }))
        let days = Set(
            batches.flatMap { batch in
                batch.records.compactMap { $0.fact }.filter(\.fact.isOfNoOrder).map {
                    OrderPlace(partition: batch.partition, order: $0.fact.order)
                }
            })
        let touched = Set(names.map(\.order)).sorted()
        return [
            PostgresStatement(
                """
                SELECT h.partition, h.rows, h.duplicates, h.last_offset, h.head, f.reader, f.rules, f.layout
                FROM ledger.chain_heads AS h LEFT JOIN LATERAL (
                    SELECT reader, rules, layout FROM ledger.facts
                    WHERE partition = h.partition AND "offset" = h.last_offset OFFSET 0) AS f ON true
                WHERE h.partition = ANY ($1)
                """, [batches.map(\.partition)]),
            PostgresStatement(
                """
                SELECT f.partition, \(ReadRecord.columns)
                FROM unnest($1::integer[], $2::uuid[], $3::uuid[]) AS wanted(place, order_id, event_id)
                    CROSS JOIN LATERAL (
                        SELECT f.partition, \(ReadRecord.columns) FROM ledger.facts f WHERE partition = wanted.place
                            AND order_id = wanted.order_id AND event_id = wanted.event_id AND \(JournalTables.isTaken)
                        OFFSET 0) AS f
                """, [names.map(\.partition), names.map(\.name.order), names.map(\.name.event)]),
        ] + OrderStore.loading(touched, settled: touched.filter { !days.contains($0) })
    }

    /// An event of a partition.
    private struct EventPlace: Hashable {
        let partition: Int32
        let name: EventName

        var order: OrderPlace { OrderPlace(partition: partition, order: name.order) }
    }

    /// The partitions' books from the results of ``opening(for:)``.
    ///
    /// - Parameter watermarks: of each partition.
    static func books(
        from results: ArraySlice<PostgresResult>, at watermarks: [Int32: Int64]
    ) throws -> [Int32: PartitionBook] {
        let (heads, known) = (results[results.startIndex], results[results.startIndex + 1])
        let orders = Dictionary(grouping: try OrderStore.orders(from: results.dropFirst(2))) { $0.place.partition }
        let events = Dictionary(grouping: try known.rows.map { try event($0) }) { $0.position.partition }
        // A table without its key may have two.
        let chains = Dictionary(try heads.rows.map { (try $0.int32("partition"), $0) }) { first, _ in first }
        var books: [Int32: PartitionBook] = [:]
        for (partition, nextOffset) in watermarks {
            let fold = Fold(
                partition: partition, orders: orders[partition, default: []].map(\.state),
                events: events[partition, default: []])
            books[partition] = try book(fold, at: nextOffset, chains[partition])
        }
        return books
    }

    private static func event(_ row: PostgresRow) throws -> JournalEvent {
        try ReadRecord(row, partition: try row.int32("partition")).event()
    }

    /// - Parameter head: the row of the partition's chain; nil when it has none.
    private static func book(_ fold: Fold, at nextOffset: Int64, _ head: PostgresRow?) throws -> PartitionBook {
        guard let head else { return PartitionBook(nextOffset: nextOffset, fold: fold) }
        if try head.optionalInt64("reader") != nil { try checkVersions(RowVersions(head), of: fold.partition) }
        return PartitionBook(
            nextOffset: nextOffset, lastOffset: try head.optionalInt64("last_offset"), rows: try head.count("rows"),
            duplicates: try head.count("duplicates"), head: try head.digest("head"), fold: fold)
    }

    /// Older code never writes rows after newer code: it would undo what it does not know.
    private static func checkVersions(_ newest: RowVersions, of partition: Int32) throws {
        guard VersionRegistry.known.newest.versions.isOlder(than: newest) else { return }
        throw StoreError(
            .malformed, at: "facts",
            "P\(partition) was written by \(newest), this program writes \(VersionRegistry.known.newest.versions): it "
                + "needs a newer order-ledger")
    }

    /// The statements that store the changes of batches to their books.
    ///
    /// - Parameters:
    ///   - rows: of each book in the order of their offsets.
    ///   - orders: in order.
    static func saving(_ rows: [JournalRow], _ orders: [OrderChange], _ books: [PartitionBook]) -> [Write] {
        [facts(rows), entries(rows.flatMap(\.entries)), faults(rows)].filter { $0.rows > 0 }
            + OrderStore.saving(orders) + [heads(books)]
    }

    private static func facts(_ rows: [JournalRow]) -> Write {
        let events = rows.map(\.event)
        let packed = rows.map(\.record.packed)
        // What is too long to be packed, as it came.
        let long = zip(rows, packed).map { $1 == nil ? $0.record : nil }
        return Write(
            """
            INSERT INTO ledger.facts (partition, "offset", disposition, record, key, headers, value, event_id, event_type,
                order_id, source, occurred_at, stream, stream_sequence, reader, rules, layout, hash)
            SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[],
                $8::uuid[], $9::text[], $10::uuid[], $11::text[], $12::timestamptz[], $13::text[], $14::bigint[],
                $15::smallint[], $16::smallint[], $17::smallint[], $18::bytea[])
            """,
            [
                rows.map(\.record.position.partition), rows.map(\.record.position.offset),
                rows.map(\.disposition.rawValue),
                packed, long.map { $0?.key }, long.map { $0?.headerBytes }, long.map { $0?.value },
                events.map { $0?.id }, events.map { $0?.type }, events.map { $0?.subject },
                events.map { $0?.source }, events.map { $0?.time.postgres }, events.map { $0?.stream?.stream },
                events.map { $0?.stream?.sequence }, rows.map(\.versions.reader), rows.map(\.versions.rules),
                rows.map(\.versions.layout), rows.map(\.hash),
            ], rows: rows.count)
    }

    private static func entries(_ entries: [Entry]) -> Write {
        // Closures, not key paths: key paths through tuples are resolved at run time.
        let lines = entries.flatMap { entry in
            entry.postings.enumerated().map { (entry: entry, line: Int16($0), posting: $1) }
        }
        return Write(
            """
            INSERT INTO ledger.entries (partition, "offset", entry, line, kind, cause, occurred_at, order_id, payment_id,
                merchant_id, rules, account, currency, amount)
            SELECT * FROM unnest($1::integer[], $2::bigint[], $3::smallint[], $4::smallint[], $5::text[], $6::uuid[],
                $7::timestamptz[], $8::uuid[], $9::uuid[], $10::uuid[], $11::smallint[], $12::text[], $13::text[],
                $14::bigint[])
            """,
            [
                lines.map { $0.entry.position.partition }, lines.map { $0.entry.position.offset },
                lines.map { $0.entry.index }, lines.map { $0.line },
                lines.map { $0.entry.kind.rawValue }, lines.map { $0.entry.cause },
                lines.map { $0.entry.time.postgres }, lines.map { $0.entry.order },
                lines.map { $0.entry.payment }, lines.map { $0.entry.merchant },
                lines.map { $0.entry.rules }, lines.map { $0.posting.account.rawValue },
                lines.map { $0.entry.currency.code }, lines.map { $0.posting.amount },
            ], rows: lines.count)
    }

    private static func faults(_ rows: [JournalRow]) -> Write {
        let faults = rows.flatMap { row in
            row.faults.enumerated().map { (place: row.record.position, index: Int16($0), fault: $1) }
        }
        return Write(
            """
            INSERT INTO ledger.faults (partition, "offset", fault, source_offset, subject, code, reason)
            SELECT * FROM unnest($1::integer[], $2::bigint[], $3::smallint[], $4::bigint[], $5::text[], $6::text[],
                $7::text[])
            """,
            [
                faults.map { $0.place.partition }, faults.map { $0.place.offset }, faults.map { $0.index },
                faults.map { $0.fault.source.offset },
                faults.map { $0.fault.subject.rawValue }, faults.map { $0.fault.code }, faults.map { $0.fault.reason },
            ], rows: faults.count)
    }

    private static func heads(_ books: [PartitionBook]) -> Write {
        Write(
            """
            INSERT INTO ledger.chain_heads (partition, rows, duplicates, last_offset, head)
            SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])
            ON CONFLICT (partition) DO UPDATE SET rows = excluded.rows, duplicates = excluded.duplicates,
                last_offset = excluded.last_offset, head = excluded.head
            """,
            [
                books.map(\.partition), books.map(\.rows), books.map(\.duplicates), books.map(\.lastOffset),
                books.map(\.chain.head),
            ], rows: books.count)
    }
}
