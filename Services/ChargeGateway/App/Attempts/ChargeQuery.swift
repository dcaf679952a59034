import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Finds charges for people.
struct ChargeQuery: Sendable {
    let policy: ChargingPolicy

    /// A charge and where its row is.
    struct Found: Sendable {
        let partition: Int32
        let machine: OperationMachine
    }

    /// Charges without an end, the oldest first.
    ///
    /// - Parameter limit: the most that are read.
    func open(_ limit: Int, on connection: PostgresConnection) async throws -> [Found] {
        try await connection.query(
            """
            SELECT \(OperationRow.columns) FROM gateway.operations WHERE is_live
            ORDER BY signed_at, order_id, payment_id LIMIT \(limit)
            """
        ).map(found)
    }

    /// The charges of an order, in the order of their commands. Its partition is not known here: every key begins with
    /// one, so each that the gateway has begun is asked.
    func charges(of order: OrderID, on connection: PostgresConnection) async throws -> [Found] {
        try await connection.query(
            """
            SELECT \(OperationRow.columns) FROM gateway.operations
            WHERE partition IN (SELECT partition FROM gateway.inbox_watermarks WHERE topic = $1) AND order_id = $2
            ORDER BY partition, number
            """, [Topic.charges.name, order]
        ).map(found)
    }

    private func found(_ row: PostgresRow) throws -> Found {
        Found(partition: try row.int32("partition"), machine: try OperationRow(row, policy: policy).machine)
    }
}
