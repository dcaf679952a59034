import Charging
import Contracts
import OrchardPostgres
import Outbox

/// The orders of many records in one open transaction.
struct OrderBatch: Sendable {
    private let store: OrderStore
    private let outbox: Outbox
    /// Learns due times; nil in a command, which fires no timer.
    private let timers: TimerQueue?
    let connection: PostgresConnection

    init(store: OrderStore, outbox: Outbox, timers: TimerQueue?, connection: PostgresConnection) {
        self.store = store
        self.outbox = outbox
        self.timers = timers
        self.connection = connection
    }

    /// What commands are processed with.
    struct Opened {
        /// Where a partition stands.
        struct Watermark {
            /// The first offset that is not in the database; records below it were processed already.
            let next: Int64
            /// A command below it without effect here may have had an effect in a database that was lost.
            let mark: Int64
        }

        let watermarks: [Int32: Watermark]
        var locked: OrderStore.Locked
        /// The orders that the payments charge already, as far as this database can see.
        var charging: [PaymentID: [OrderID]]
    }

    /// Locks partitions' watermarks and those of their orders that have a row, and reads them with their operations, in one
    /// round trip.
    ///
    /// - Parameters:
    ///   - starts: of each partition the reading position before its commands; nil for none.
    ///   - payments: what the commands want to charge.
    /// - Throws: `InboxError` when a partition may not be stepped on this database.
    func open(
        _ starts: [Int32: Int64?], _ places: [OrderStore.Place], chargedBy payments: [PaymentID]
    ) async throws -> Opened {
        let statements = store.statements(places, .wait, cards: [])
        let results = try await connection.pipeline(
            [store.inbox.opening(Array(starts.keys))] + statements + [store.search(chargedBy: payments)])
        var watermarks: [Int32: Opened.Watermark] = [:]
        for (partition, start) in starts {
            let (next, mark) = try store.inbox.opened(results[0], partition, from: start)
            watermarks[partition] = Opened.Watermark(next: next, mark: mark)
        }
        let locked = try await store.locked(
            Array(results[1...statements.count]), places, cards: [], on: connection)
        return Opened(
            watermarks: watermarks, locked: locked, charging: try store.charging(results[statements.count + 1]))
    }

    /// Locks the same orders of a partition that is being brought up to the log, and so may not be stepped yet.
    func lockForRecovery(_ orders: [OrderID], in partition: Int32) async throws -> OrderStore.Locked {
        try await store.lock(
            orders.map { OrderStore.Place(order: $0, partition: partition) }, .wait, on: connection)
    }

    /// Writes what the machines changed, and the outbox with it.
    func save(_ orders: [StoredOrder], _ rows: [OutboxRow], at time: Timestamp) async throws {
        guard let writes = prepare(orders, rows, at: time) else { return }
        try await outbox.insert(rows, with: writes, on: connection)
    }

    /// Writes the same and commits with it, in one round trip: the last that is done in the transaction.
    ///
    /// - Parameter others: further writes of the transaction.
    func commit(
        _ orders: [StoredOrder], _ rows: [OutboxRow], with others: [Write] = [], at time: Timestamp
    ) async throws {
        let writes = prepare(orders, rows, at: time) ?? []
        guard !(writes + others).isEmpty || !rows.isEmpty else { return }
        try await outbox.commit(rows, with: writes + others, on: connection)
    }

    /// - Returns: nil when there is nothing to write.
    private func prepare(_ orders: [StoredOrder], _ rows: [OutboxRow], at time: Timestamp) -> [Write]? {
        connection.onCommit { [timers] in timers?.committed(orders, at: time) }
        let writes = OrderChanges(orders).writes
        return writes.isEmpty && rows.isEmpty ? nil : writes
    }
}
