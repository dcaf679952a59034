import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// The one place where orders change: locks an order's row, runs its machine, writes state, timers and outbox, commits.
///
/// Timers, acquirers' answers, notifications and commands come here from any instance.
struct OrderDesk: Sendable {
    let pool: PostgresPool
    let store: OrderStore
    let outbox: Outbox
    let watch: ChargeWatch
    /// Rung when a commit left something due at once.
    let bell: Bell

    /// `ce_source` of what the gateway tells.
    static let source = EventSource.chargeGateway.rawValue

    /// Steps one order and commits; what its machine wants done comes back.
    ///
    /// - Parameter body: gives the order its input, in the open transaction. It does nothing that waits for anybody but
    ///   the database.
    /// - Returns: nil when the order has no row or, with patience `skip`, somebody else holds it.
    func step<Outcome: Sendable>(
        _ id: OrderID, in partition: Int32, _ patience: OrderStore.Patience = .wait,
        _ body: (inout StoredOrder, Timestamp, PostgresConnection) async throws -> (actions: [Action], Outcome)
    ) async throws -> (actions: [Action], outcome: Outcome)? {
        let result: (order: StoredOrder, actions: [Action], outcome: Outcome)?
        result = try await pool.withTransaction { connection in
            let locked = try await store.lock([id], in: partition, patience, on: connection)
            guard var order = locked.orders[id] else { return nil }
            let (actions, outcome) = try await body(&order, locked.time, connection)
            try await save([order], rows(actions, of: order, at: locked.time), on: connection)
            return (order, actions, outcome)
        }
        guard let result else { return nil }
        watch.note(result.actions, of: result.order)
        return (result.actions, result.outcome)
    }

    /// Writes what the machines changed, and the outbox with it.
    func save(_ orders: [StoredOrder], _ rows: [OutboxRow], on connection: PostgresConnection) async throws {
        try await Write.perform(orders.flatMap(\.writes), on: connection)
        try await outbox.insert(rows, on: connection)
    }

    /// The facts among the actions, as rows of the outbox.
    ///
    /// - Parameter command: what they answer, if it is a command.
    func rows(
        _ actions: [Action], of order: StoredOrder, at time: Timestamp, to command: IncomingCommand? = nil
    ) -> [OutboxRow] {
        actions.compactMap { action in
            guard case .record(let fact) = action else { return nil }
            let event = CloudEvent(
                fact, source: Self.source, time: time, causation: command?.event?.id,
                traceparent: order.traceparent(of: action) ?? command?.traceparent)
            return OutboxRow(event, topic: .journal, partition: order.partition)
        }
    }
}
