import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Folds batches of the journal into the database, fenced by their partitions' watermarks. Batches of several partitions
/// that have gathered share a transaction.
struct Projection: Sendable {
    /// What a batch did.
    struct Outcome: Sendable {
        let rows: [JournalRow]
        let duplicates: Int
        /// The orders that came to steps.
        let steps: [(merchant: MerchantID, steps: Set<OrderStep>)]

        init(_ folded: FactBatch.Folded) {
            rows = folded.rows
            duplicates = folded.duplicates
            steps = folded.orders.compactMap { order in
                order.state.merchant.map { merchant in
                    (merchant, OrderStep.reached(by: order.state).subtracting(OrderStep.reached(by: order.known)))
                }
            }
        }
    }

    let database: PostgresPool
    let inbox: Inbox
    let outbox: Outbox
    let metrics: LedgerMetrics
    let logger: Logger
    private let webhooks: WebhookWriter
    let batches: InputGroups<Int32, FactBatch, Outcome?>
    private let statusChanges: @Sendable ([OrderID]) -> Void

    /// - Parameters:
    ///   - webhooks: stores what shops are told.
    ///   - statusChanges: receives, after a commit, the orders whose payments, follow-ups or
    ///     commands have changed.
    init(
        database: PostgresPool, inbox: Inbox, outbox: Outbox, metrics: LedgerMetrics, logger: Logger,
        webhooks: WebhookWriter, statusChanges: @escaping @Sendable ([OrderID]) -> Void
    ) {
        self.database = database
        self.inbox = inbox
        self.outbox = outbox
        self.metrics = metrics
        self.logger = logger
        self.webhooks = webhooks
        self.statusChanges = statusChanges
        // A full batch is as large as a group: it is performed at once, alone.
        batches = InputGroups(GroupLimits(size: JournalConsumer.options.batchLimit))
    }

    /// Applies consecutive records of one partition to the books.
    ///
    /// Rows, entries, orders, chain head, watermark and dead letters are committed together or not at all: a batch may
    /// be repeated after any failure. Batches of other partitions may share the transaction.
    ///
    /// - Parameter start: the reading position before the records. It may be below the first one: offsets have holes.
    /// - Throws: ``NewerRecord`` for a record that must wait. The records before it are committed.
    func apply(_ records: [JournalRecord], of partition: Int32, from start: Int64) async throws {
        let read = records.map { ReadRecord($0) }
        // A fact that can be read is of a type that this version knows.
        let newer = read.lazy.filter { !$0.isFact }.compactMap { NewerRecord($0.record) }.first
        let readable = newer.map { newer in read.filter { $0.position < newer.position } } ?? read
        let batch = FactBatch(partition: partition, records: readable, start: start)
        let outcome = try await batches.perform(batch, of: partition, size: max(readable.count, 1)) { batches in
            let begun = ContinuousClock.now
            let outcomes = try await database.withTransaction(.group) { try await fold(batches, on: $0) }
            metrics.batchTime.record(ContinuousClock.now - begun)
            return outcomes
        }
        if let outcome { report(outcome) }
        if let newer { throw newer }
    }

    /// - Returns: for each batch; nil when the whole batch was done before.
    private func fold(_ batches: [FactBatch], on connection: PostgresConnection) async throws -> [Outcome?] {
        // One round trip locks the watermarks and reads what the records need.
        let results = try await connection.pipeline(
            [inbox.opening(batches.map(\.partition))] + JournalStore.opening(for: batches))
        var watermarks: [Int32: Int64] = [:]
        for batch in batches {
            watermarks[batch.partition] = try inbox.opened(results[0], batch.partition, from: batch.start).next
        }
        let books = try JournalStore.books(from: results.dropFirst(), at: watermarks)
        let folded = batches.map { batch in
            guard let book = books[batch.partition] else { preconditionFailure("each partition has its book") }
            return batch.fold(into: book, webhooks: webhooks)
        }
        try await save(folded.compactMap(\.self), on: connection)
        return folded.map { $0.map { Outcome($0) } }
    }

    private func save(_ folded: [FactBatch.Folded], on connection: PostgresConnection) async throws {
        guard !folded.isEmpty else { return }
        let rows = folded.flatMap(\.rows)
        let orders = folded.flatMap(\.orders).sorted { $0.place < $1.place }
        let advances = folded.map { folded in
            Inbox.Advance(
                folded.book.partition, from: folded.start, to: folded.book.nextOffset, by: folded.fresh.count,
                last: folded.fresh.last.map { LastRecord(offset: $0.position.offset, value: $0.record.value) })
        }
        // Not counted: a message that is known stays as it is, and no mistake here may stop the books.
        let stored = orders.filter { $0.known != nil }.map(\.place)
        let insertion = try await webhooks.insertion(
            of: folded.flatMap(\.messages), touching: stored, on: connection)
        let moved = try await Write.perform(
            JournalStore.saving(rows, orders, folded.map(\.book)),
            reading: [inbox.advancing(advances)] + [insertion].compactMap(\.self), on: connection)
        try inbox.advanced(moved[0], advances)
        let changed = orders.filter(\.isAwaited).map(\.state.id)
        connection.onCommit { [statusChanges] in statusChanges(changed) }
        try await outbox.insert(
            rows.flatMap { row in
                row.faults.enumerated().map { Self.letter($1, $0, at: row.record) }
            }, on: connection)
    }

    /// The dead letter of a fault. The record itself stays in the journal and in the ledger's row: a copy could only
    /// spread data that the record should not hold.
    private static func letter(_ fault: JournalFault, _ index: Int, at record: JournalRecord) -> OutboxRow {
        DeadLetter(
            code: fault.code, reason: fault.reason,
            place: TopicPartition(Topic.journal.name, fault.source.partition), offset: fault.source.offset,
            foundAt: fault.source == record.position ? nil : record.position.offset
        ).row(source: OfferStore.source, key: record.key, index: index)
    }

    private func report(_ outcome: Outcome) {
        metrics.duplicates.increment(by: Int64(outcome.duplicates))
        // A counter is found by its labels' texts: once a batch, not once a fact.
        for (disposition, count) in Self.counts(outcome.rows.lazy.map(\.disposition)) {
            metrics.facts(disposition).increment(by: count)
        }
        let entries = outcome.rows.lazy.flatMap(\.entries)
        for (kind, count) in Self.counts(entries.map(\.kind)) { metrics.entries(kind).increment(by: count) }
        var posted: [LedgerMetrics.Side: Int64] = [:]
        for entry in entries {
            for posting in entry.postings {
                let amount = Int64(clamping: posting.amount.magnitude)
                posted[LedgerMetrics.Side(posting, entry.currency), default: 0] &+= amount
            }
        }
        // A counter begins again at 2^63.
        for (side, amount) in posted { metrics.posted(side).increment(by: amount & .max) }
        for (merchant, outcomes) in Dictionary(grouping: outcome.steps, by: \.merchant) {
            for (step, count) in Self.counts(outcomes.lazy.flatMap(\.steps)) {
                metrics.orders(merchant, step).increment(by: count)
            }
        }
        for row in outcome.rows where !row.faults.isEmpty || row.entries.contains(where: \.kind.needsReview) {
            let trace = row.event?.traceparent.flatMap { TraceContext(traceparent: $0) }
            TraceContext.$current.withValue(trace) { report(row) }
        }
    }

    private static func counts<Value: Hashable>(_ values: some Sequence<Value>) -> [Value: Int64] {
        values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Alarms when an operator must act.
    private func report(_ row: JournalRow) {
        for entry in row.entries where entry.kind.needsReview {
            logger.critical(
                "money moved, or is held, that the order does not account for: an operator must check it",
                [
                    "kind": entry.kind.rawValue, "order_id": "\(entry.order)",
                    "payment_id": entry.payment?.description ?? "unknown",
                ])
        }
        for fault in row.faults {
            metrics.deadLetters(fault.code).increment()
            logger.error(
                "a fact was not applied to the books",
                ["source": "\(fault.source)", "code": fault.code, "reason": fault.reason])
        }
    }
}
