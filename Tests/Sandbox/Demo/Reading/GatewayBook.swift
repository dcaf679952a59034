import Contracts
import Postgres

/// Reads the gateway's tables.
struct GatewayBook: Sendable {
    let connection: PostgresConnection

    func payments() async throws -> [BookedPayment] {
        let rows = try await connection.query(
            "SELECT order_id, payment_id, phase, reason, amount FROM gateway.operations")
        return try rows.map { row in
            BookedPayment(
                order: try identifier(row.string("order_id")), payment: try identifier(row.string("payment_id")),
                outcome: OrderEnd.Outcome(
                    status: try row.string("phase"), reason: try row.optionalString("reason"),
                    amount: try row.int64("amount")))
        }
    }

    func orders() async throws -> [OrderID: OrderEnd.State] {
        let rows = try await connection.query("SELECT order_id, closure FROM gateway.orders")
        return Dictionary(
            try rows.map { row in
                let closure = try row.optionalString("closure")
                return (try identifier(row.string("order_id")), closure.flatMap(OrderEnd.State.init) ?? .open)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Operations whose intent is committed and that nothing is known of yet.
    func intents() async throws -> Set<PaymentID> {
        let rows = try await connection.query(
            "SELECT payment_id FROM gateway.operations WHERE phase = 'submitting'")
        return Set(try rows.map { try identifier($0.string("payment_id")) })
    }
}
