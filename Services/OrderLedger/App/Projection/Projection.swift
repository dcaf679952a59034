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
        /// The orders that came to steps.
        let steps: [(merchant: MerchantID, steps: Set<OrderStep>)]
    }

    let database: PostgresPool
    let inbox: Inbox
    let outbox: Outbox
    let metrics: LedgerMetrics
    let logger: Logger
    private let webhooks: WebhookWriter
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
    }

    /// Applies consecutive records of one partition to the books.
    ///
    /// Rows, entries, orders, chain head, watermark and dead letters are committed together or not at all: a batch may
    /// be repeated after any failure.
    ///
    /// - Parameter start: the reading position before the records; nil when that is the first record.
    /// - Throws: ``NewerRecord`` for a record that must wait. The records before it are committed.
    func apply(_ records: [JournalRecord], of partition: Int32, from start: Int64? = nil) async throws {
        let begun = ContinuousClock.now
        let read = records.map { ReadRecord($0) }
        // A fact that can be read is of a type that this version knows.
        let newer = read.lazy.filter { !$0.isFact }.compactMap { NewerRecord($0.record) }.first
        let readable = newer.map { newer in read.filter { $0.position < newer.position } } ?? read
        let outcome = try await database.withTransaction { connection in
            try await fold(readable, partition, from: start ?? records.first?.position.offset, on: connection)
        }
        metrics.batchTime.record(ContinuousClock.now - begun)
        if let outcome { report(outcome) }
        if let newer { throw newer }
    }

    /// - Returns: nil when the whole batch was done before.
    private func fold(
        _ read: [ReadRecord], _ partition: Int32, from start: Int64?, on connection: PostgresConnection
    ) async throws -> Outcome? {
        let store = JournalStore(partition: partition)
        // One round trip locks the watermark and reads what the records need.
        let results = try await connection.pipeline([inbox.opening(partition)] + store.opening(for: read))
        let next = try inbox.opened(results, partition, from: start).next
        // What another owner of the partition, or a commit whose answer was lost, has done already.
        let fresh = read.filter { $0.position.offset >= next }
        guard !fresh.isEmpty else { return nil }
        var book = try store.book(from: results.dropFirst(), nextOffset: next)
        let known = book.fold.orders
        let duplicatesBefore = book.duplicates
        var messages: [WebhookWriter.Placed] = []
        let rows = fresh.compactMap { read -> JournalRow? in
            let order = read.fact?.fact.order
            let parked = order.flatMap { book.fold.state(of: $0) }?.parked ?? []
            guard let row = book.append(read) else { return nil }
            messages += webhooks.messages(
                of: row, read, parked: parked, order: order.flatMap { book.fold.state(of: $0) })
            return row
        }
        let duplicates = Int(book.duplicates - duplicatesBefore)
        precondition(rows.count + duplicates == fresh.count, "rows written = events read − known duplicates")
        let last = fresh.last.map { LastRecord(offset: $0.position.offset, value: $0.record.value) }
        // Not counted: a message that is known stays as it is, and no mistake here may stop the books.
        let insertion = try await webhooks.insertion(
            of: messages, touching: known.keys, in: partition, on: connection)
        let moved = try await Write.perform(
            store.saving(rows, book: book, over: known),
            reading: [inbox.advancing(partition, from: next, to: book.nextOffset, by: fresh.count, last: last)]
                + [insertion].compactMap(\.self), on: connection)
        try inbox.advanced(moved[0], partition, from: next)
        let changed = book.fold.orders.values.filter { $0.hasChanged(since: known[$0.id]) }.map(\.id)
        connection.onCommit { [statusChanges] in statusChanges(changed) }
        try await outbox.insert(
            rows.flatMap { row in
                row.faults.enumerated().map { Self.letter($1, $0, at: row.record) }
            }, on: connection)
        let steps = book.fold.orders.values.compactMap { order in
            order.merchant.map { merchant in
                (merchant, OrderStep.reached(by: order).subtracting(OrderStep.reached(by: known[order.id])))
            }
        }
        return Outcome(rows: rows, duplicates: duplicates, steps: steps)
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
        let dispositions = Dictionary(outcome.rows.map { ($0.disposition, 1) }, uniquingKeysWith: +)
        for (disposition, count) in dispositions { metrics.facts(disposition).increment(by: Int64(count)) }
        let kinds = Dictionary(outcome.rows.lazy.flatMap(\.entries).map { ($0.kind, 1) }, uniquingKeysWith: +)
        for (kind, count) in kinds { metrics.entries(kind).increment(by: Int64(count)) }
        for entry in outcome.rows.lazy.flatMap(\.entries) {
            for posting in entry.postings {
                metrics.posted(posting, entry.currency).increment(by: Int64(posting.amount.magnitude))
            }
        }
        for (merchant, steps) in outcome.steps {
            for step in steps { metrics.orders(merchant, step).increment() }
        }
        for row in outcome.rows where !row.faults.isEmpty || row.entries.contains(where: \.kind.needsReview) {
            let trace = row.event?.traceparent.flatMap { TraceContext(traceparent: $0) }
            TraceContext.$current.withValue(trace) { report(row) }
        }
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

extension OrderState {
    /// Whether somebody may wait for what has changed: a device for its payment, a shop for its command.
    fileprivate func hasChanged(since old: OrderState?) -> Bool {
        payments != old?.payments ?? [] || followUps != old?.followUps ?? []
            || refusedCommands != old?.refusedCommands ?? [] || closing != old?.closing
    }
}
