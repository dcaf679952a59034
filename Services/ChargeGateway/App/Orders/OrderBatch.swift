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

    /// Locks those of a partition's orders that have a row and reads them with their operations.
    ///
    /// - Parameter isRecovering: whether the partition is being brought up to the log, and so may not be stepped yet.
    /// - Throws: `InboxError` when the partition may not be stepped on this database.
    func lock(_ ids: [OrderID], in partition: Int32, isRecovering: Bool = false) async throws -> OrderStore.Locked {
        try await store.lock(ids, in: partition, isRecovering: isRecovering, on: connection)
    }

    /// The orders that payments charge already, as far as this database can see.
    func orders(chargedBy payments: [PaymentID]) async throws -> [PaymentID: [OrderID]] {
        try await store.orders(chargedBy: payments, on: connection)
    }

    /// Writes what the machines changed, and the outbox with it.
    func save(_ orders: [StoredOrder], _ rows: [OutboxRow], at time: Timestamp) async throws {
        guard let writes = prepare(orders, rows, at: time) else { return }
        try await outbox.insert(rows, with: writes, on: connection)
    }

    /// Writes the same and commits with it, in one round trip: the last that is done in the transaction.
    func commit(_ orders: [StoredOrder], _ rows: [OutboxRow], at time: Timestamp) async throws {
        guard let writes = prepare(orders, rows, at: time) else { return }
        try await outbox.commit(rows, with: writes, on: connection)
    }

    /// - Returns: nil when there is nothing to write.
    private func prepare(_ orders: [StoredOrder], _ rows: [OutboxRow], at time: Timestamp) -> [Write]? {
        connection.onCommit { [timers] in timers?.committed(orders, at: time) }
        let writes = OrderChanges(orders).writes
        return writes.isEmpty && rows.isEmpty ? nil : writes
    }
}
