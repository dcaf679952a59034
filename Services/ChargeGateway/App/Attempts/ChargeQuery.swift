import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Finds charges, captures, voids and refunds for people.
struct ChargeQuery: Sendable {
    let policy: ChargingPolicy

    /// An operation and where its row is.
    struct Found: Sendable {
        let partition: Int32
        let machine: OperationMachine

        /// When Apple signed the token, or the follow-up was asked for.
        fileprivate var begunAt: Timestamp { machine.subject.followUp?.causedAt ?? machine.subject.keyTime }
    }

    /// Operations without an end, the oldest first.
    ///
    /// - Parameter limit: the most that are read.
    /// - Returns: the operations, and why those of other orders cannot be read.
    func open(_ limit: Int, on connection: PostgresConnection) async throws -> (found: [Found], damaged: [String]) {
        var damaged: [String] = []
        func note(_ row: PostgresRow, _ error: any Error) throws {
            let order: OrderID = try row.identifier("order_id")
            let isNewer = (error as? StoreError)?.code == .unknownWord
            let advice = isNewer ? "run a newer charge-gateway, or mend them" : "mend them"
            damaged.append("\(order)  its rows cannot be read, \(advice): \(error)")
        }
        let charges = try await connection.query(
            """
            SELECT \(OperationRow.columns) FROM gateway.operations WHERE is_live
            ORDER BY signed_at, order_id, payment_id LIMIT \(limit)
            """
        ).reading(found, damaged: note)
        let followUps = try await connection.query(
            """
            SELECT \(FollowUpRow.columns) FROM gateway.follow_ups WHERE is_live
            ORDER BY caused_at, order_id, number LIMIT \(limit)
            """
        ).reading(foundFollowUp, damaged: note)
        return (Array((charges + followUps).sorted { $0.begunAt < $1.begunAt }.prefix(limit)), damaged)
    }

    /// The charges of an order, in the order of their commands, then what followed them. Its partition is not known here: every key begins with
    /// one, so each that the gateway has begun is asked.
    func charges(of order: OrderID, on connection: PostgresConnection) async throws -> [Found] {
        let charges = try await connection.query(
            """
            SELECT \(OperationRow.columns)
            FROM (SELECT partition AS place FROM gateway.inbox_watermarks WHERE topic = $1) AS w CROSS JOIN LATERAL (
                SELECT number, \(OperationRow.columns) FROM gateway.operations
                WHERE partition = w.place AND order_id = $2 OFFSET 0) AS o
            ORDER BY partition, number
            """, [Topic.charges.name, order]
        ).map(found)
        let followUps = try await connection.query(
            """
            SELECT \(FollowUpRow.columns)
            FROM (SELECT partition AS place FROM gateway.inbox_watermarks WHERE topic = $1) AS w CROSS JOIN LATERAL (
                SELECT number, \(FollowUpRow.columns) FROM gateway.follow_ups
                WHERE partition = w.place AND order_id = $2 OFFSET 0) AS o
            ORDER BY partition, number
            """, [Topic.charges.name, order]
        ).map(foundFollowUp)
        return charges + followUps
    }

    private func foundFollowUp(_ row: PostgresRow) throws -> Found {
        Found(partition: try row.int32("partition"), machine: try FollowUpRow.read(row, policy: policy).machine)
    }

    private func found(_ row: PostgresRow) throws -> Found {
        Found(partition: try row.int32("partition"), machine: try OperationRow(row, policy: policy).machine)
    }
}
