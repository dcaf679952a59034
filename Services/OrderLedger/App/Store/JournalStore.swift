import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Reads and writes one partition of the journal tables.
struct JournalStore {
    let partition: Int32
    private var store: OrderStore { OrderStore(partition: partition) }

    init(partition: Int32) {
        self.partition = partition
    }

    /// The statements that read what a batch needs: its orders, and the events that it repeats. They must run in the
    /// transaction that holds the partition's watermark.
    func opening(for records: [ReadRecord]) -> [PostgresStatement] {
        let names = Array(Set(records.compactMap { $0.fact?.name }))
        let touched = Set(names.map(\.order)).sorted()
        let days = Set(records.compactMap { $0.fact }.filter(\.fact.isOfNoOrder).map(\.fact.order))
        return [
            PostgresStatement(
                """
                SELECT h.rows, h.duplicates, h.last_offset, h.head, f.reader, f.rules, f.layout
                FROM ledger.chain_heads AS h LEFT JOIN LATERAL (
                    SELECT reader, rules, layout FROM ledger.facts
                    WHERE partition = h.partition AND "offset" = h.last_offset OFFSET 0) AS f ON true
                WHERE h.partition = $1
                """, [partition]),
            PostgresStatement(
                """
                SELECT \(ReadRecord.columns) FROM unnest($2::uuid[], $3::uuid[]) AS wanted(order_id, event_id)
                    CROSS JOIN LATERAL (
                        SELECT \(ReadRecord.columns) FROM ledger.facts f WHERE partition = $1
                            AND order_id = wanted.order_id AND event_id = wanted.event_id AND \(JournalTables.isTaken)
                        OFFSET 0) AS f
                """, [partition, names.map(\.order), names.map(\.event)]),
        ] + store.loading(touched, settled: touched.filter { !days.contains($0) })
    }

    /// A partition's book from the results of ``opening(for:)``.
    ///
    /// - Parameter nextOffset: the watermark.
    func book(from results: ArraySlice<PostgresResult>, nextOffset: Int64) throws -> PartitionBook {
        let (heads, known) = (results[results.startIndex], results[results.startIndex + 1])
        let fold = Fold(
            partition: partition, orders: try store.orders(from: results.dropFirst(2)),
            events: try known.rows.map { try ReadRecord($0, partition: partition).event() })
        guard let head = heads.rows.first else {
            return PartitionBook(nextOffset: nextOffset, fold: fold)
        }
        if try head.optionalInt64("reader") != nil { try checkVersions(RowVersions(head)) }
        return PartitionBook(
            nextOffset: nextOffset, lastOffset: try head.optionalInt64("last_offset"), rows: try head.int64("rows"),
            duplicates: try head.int64("duplicates"), head: try head.bytes("head"), fold: fold)
    }

    /// Older code never writes rows after newer code: it would undo what it does not know.
    private func checkVersions(_ newest: RowVersions) throws {
        guard VersionRegistry.known.newest.versions.isOlder(than: newest) else { return }
        throw StoreError(
            .malformed, at: "facts",
            "P\(partition) was written by \(newest), this program writes \(VersionRegistry.known.newest.versions): it "
                + "needs a newer order-ledger")
    }

    /// The statements that store the changes of a batch to a book.
    ///
    /// - Parameters:
    ///   - rows: in the order of their offsets.
    ///   - known: the orders as ``book(from:nextOffset:)`` gave them.
    func saving(_ rows: [JournalRow], book: PartitionBook, over known: [OrderID: OrderState]) -> [Write] {
        let states = book.fold.orders.values.sorted { $0.id < $1.id }
        return [facts(rows), entries(rows.flatMap(\.entries)), faults(rows)].filter { $0.rows > 0 }
            + store.saving(states, over: known) + [head(book)]
    }

    private func facts(_ rows: [JournalRow]) -> Write {
        let events = rows.map(\.event)
        let packed = rows.map(\.record.packed)
        // What is too long to be packed, as it came.
        let long = zip(rows, packed).map { $1 == nil ? $0.record : nil }
        return Write(
            """
            INSERT INTO ledger.facts (partition, "offset", disposition, record, key, headers, value, event_id, event_type,
                order_id, source, occurred_at, stream, stream_sequence, reader, rules, layout, hash)
            SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[],
                $8::uuid[], $9::text[], $10::uuid[], $11::text[], $12::timestamptz[], $13::text[], $14::bigint[],
                $15::smallint[], $16::smallint[], $17::smallint[], $18::bytea[])
            """,
            [
                partition, rows.map(\.record.position.offset), rows.map(\.disposition.rawValue),
                packed, long.map { $0?.key }, long.map { $0?.headerBytes }, long.map { $0?.value },
                events.map { $0?.id }, events.map { $0?.type }, events.map { $0?.subject },
                events.map { $0?.source }, events.map { $0?.time.postgres }, events.map { $0?.stream?.stream },
                events.map { $0?.stream?.sequence }, rows.map(\.versions.reader), rows.map(\.versions.rules),
                rows.map(\.versions.layout), rows.map(\.hash),
            ], rows: rows.count)
    }

    private func entries(_ entries: [Entry]) -> Write {
        // Closures, not key paths: key paths through tuples are resolved at run time.
        let lines = entries.flatMap { entry in
            entry.postings.enumerated().map { (entry: entry, line: Int16($0), posting: $1) }
        }
        return Write(
            """
            INSERT INTO ledger.entries (partition, "offset", entry, line, kind, cause, occurred_at, order_id, payment_id,
                merchant_id, rules, account, currency, amount)
            SELECT $1, * FROM unnest($2::bigint[], $3::smallint[], $4::smallint[], $5::text[], $6::uuid[],
                $7::timestamptz[], $8::uuid[], $9::uuid[], $10::uuid[], $11::smallint[], $12::text[], $13::text[],
                $14::bigint[])
            """,
            [
                partition, lines.map { $0.entry.position.offset }, lines.map { $0.entry.index }, lines.map { $0.line },
                lines.map { $0.entry.kind.rawValue }, lines.map { $0.entry.cause },
                lines.map { $0.entry.time.postgres }, lines.map { $0.entry.order },
                lines.map { $0.entry.payment }, lines.map { $0.entry.merchant },
                lines.map { $0.entry.rules }, lines.map { $0.posting.account.rawValue },
                lines.map { $0.entry.currency.code }, lines.map { $0.posting.amount },
            ], rows: lines.count)
    }

    private func faults(_ rows: [JournalRow]) -> Write {
        let faults = rows.flatMap { row in
            row.faults.enumerated().map { (offset: row.record.position.offset, index: Int16($0), fault: $1) }
        }
        return Write(
            """
            INSERT INTO ledger.faults (partition, "offset", fault, source_offset, subject, code, reason)
            SELECT $1, * FROM unnest($2::bigint[], $3::smallint[], $4::bigint[], $5::text[], $6::text[], $7::text[])
            """,
            [
                partition, faults.map { $0.offset }, faults.map { $0.index }, faults.map { $0.fault.source.offset },
                faults.map { $0.fault.subject.rawValue }, faults.map { $0.fault.code }, faults.map { $0.fault.reason },
            ], rows: faults.count)
    }

    private func head(_ book: PartitionBook) -> Write {
        Write(
            """
            INSERT INTO ledger.chain_heads (partition, rows, duplicates, last_offset, head) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (partition) DO UPDATE SET rows = excluded.rows, duplicates = excluded.duplicates,
                last_offset = excluded.last_offset, head = excluded.head
            """, [partition, book.rows, book.duplicates, book.lastOffset, book.chain.head])
    }
}
