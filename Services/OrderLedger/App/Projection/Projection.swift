import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Folds batches of the journal into the database: one transaction a batch, fenced by the partition's watermark.
struct Projection: Sendable {
    /// What a batch did.
    struct Outcome: Sendable {
        let rows: [JournalRow]
        let duplicates: Int
    }

    let database: PostgresPool
    let inbox: Inbox
    let outbox: Outbox
    let metrics: LedgerMetrics
    let logger: Logger
    private let news: @Sendable ([OrderID]) -> Void

    /// - Parameter news: told after a commit which orders' payments have changed.
    init(
        database: PostgresPool, inbox: Inbox, outbox: Outbox, metrics: LedgerMetrics, logger: Logger,
        news: @escaping @Sendable ([OrderID]) -> Void
    ) {
        self.database = database
        self.inbox = inbox
        self.outbox = outbox
        self.metrics = metrics
        self.logger = logger
        self.news = news
    }

    /// Takes consecutive records of one partition into the books.
    ///
    /// Rows, entries, orders, chain head, watermark and dead letters are committed together or not at all, so that a
    /// batch may be repeated after any failure.
    ///
    /// - Parameter start: where reading stood before them; nil when that is the first record.
    /// - Throws: ``NewerRecord`` for a record that must wait; those before it are committed.
    func apply(_ records: [JournalRecord], of partition: Int32, from start: Int64? = nil) async throws {
        let begun = ContinuousClock.now
        let newer = records.lazy.compactMap { NewerRecord($0) }.first
        let readable = newer.map { newer in records.filter { $0.position < newer.position } } ?? records
        let outcome = try await database.withTransaction { connection in
            try await fold(readable, partition, from: start ?? records.first?.position.offset, on: connection)
        }
        metrics.batchTime.record(ContinuousClock.now - begun)
        if let outcome { report(outcome) }
        if let newer { throw newer }
    }

    /// - Returns: nil when everything was done before.
    private func fold(
        _ records: [JournalRecord], _ partition: Int32, from start: Int64?, on connection: PostgresConnection
    ) async throws -> Outcome? {
        let next = try await inbox.lock(partition, from: start, on: connection)
        // What another owner of the partition, or a commit whose answer was lost, has done already.
        let fresh = records.filter { $0.position.offset >= next }.map { ReadRecord($0) }
        guard !fresh.isEmpty else { return nil }
        let store = JournalStore(partition: partition)
        var book = try await store.open(for: fresh, nextOffset: next, on: connection)
        let known = book.fold.orders
        let duplicatesBefore = book.duplicates
        let rows = fresh.compactMap { book.append($0) }
        let duplicates = Int(book.duplicates - duplicatesBefore)
        precondition(rows.count + duplicates == fresh.count, "rows written = events read − known duplicates")
        try await Write.perform(store.saving(rows, book: book, over: known), on: connection)
        let changed = book.fold.orders.values.filter { $0.payments != known[$0.id]?.payments }.map(\.id)
        connection.onCommit { [news] in news(changed) }
        try await outbox.insert(
            rows.flatMap { row in
                row.faults.enumerated().map { Self.letter($1, $0, at: row.record) }
            }, on: connection)
        try await inbox.advance(
            partition, from: next, to: book.nextOffset, by: fresh.count,
            last: fresh.last.map { TakenRecord(offset: $0.position.offset, value: $0.record.value) },
            on: connection)
        return Outcome(rows: rows, duplicates: duplicates)
    }

    /// What goes to the dead letters for a fault. The record itself stays in the journal and in the ledger's row; a copy
    /// could only spread what should not have been in it.
    private static func letter(_ fault: JournalFault, _ index: Int, at record: JournalRecord) -> OutboxRow {
        DeadLetter(
            code: fault.code, reason: fault.reason,
            place: TopicPartition(Topic.journal.name, fault.source.partition), offset: fault.source.offset,
            foundAt: fault.source == record.position ? nil : record.position.offset
        ).row(source: OfferStore.source, key: record.key, index: index)
    }

    private func report(_ outcome: Outcome) {
        metrics.duplicates.increment(by: Int64(outcome.duplicates))
        for row in outcome.rows {
            metrics.facts(row.disposition).increment()
            let trace = row.event?.traceparent.flatMap { TraceContext(traceparent: $0) }
            TraceContext.$current.withValue(trace) { report(row) }
        }
    }

    /// Counts what a row posted, and alarms where a person must look.
    private func report(_ row: JournalRow) {
        for entry in row.entries {
            metrics.entries(entry.kind).increment()
            guard entry.kind != .sale else { continue }
            logger.critical(
                "money moved that is no sale: a person must look",
                ["kind": entry.kind.rawValue, "order_id": "\(entry.order)", "payment_id": "\(entry.payment)"])
        }
        for fault in row.faults {
            metrics.deadLetters(fault.code).increment()
            logger.error(
                "a fact was not taken into the books",
                ["source": "\(fault.source)", "code": fault.code, "reason": fault.reason])
        }
    }
}
