import Contracts
import OrchardPostgres

/// Reads the gateway's tables.
struct GatewayBook: Sendable {
    let connection: PostgresConnection

    /// Operations, with the reason in the last fact of each.
    ///
    /// - Parameter published: the gateway's facts in the journal; its outbox keeps no published facts.
    func payments(published: GatewayFacts) async throws -> [BookedPayment] {
        let rows = try await connection.query("SELECT order_id, payment_id, phase, amount FROM gateway.operations")
        return try rows.map { row in
            let (order, payment) = (
                try row.identifier("order_id") as OrderID, try row.identifier("payment_id") as PaymentID
            )
            return BookedPayment(
                order: order, payment: payment,
                outcome: OrderEnd.Outcome(
                    status: try row.string("phase"), reason: published.lastReason(order: order, payment: payment),
                    amount: try row.int64("amount")))
        }
    }

    func orders() async throws -> [OrderID: OrderEnd.State] {
        let rows = try await connection.query("SELECT order_id, closed_reason FROM gateway.orders")
        return Dictionary(
            try rows.map { row in
                let reason = try row.optionalString("closed_reason")
                return (try row.identifier("order_id"), reason.flatMap(OrderEnd.State.init) ?? .open)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Payments that have ended.
    func settled() async throws -> Set<PaymentID> {
        let rows = try await connection.query(
            """
            SELECT payment_id FROM gateway.operations
            WHERE phase IN ('succeeded', 'declined', 'refused', 'lateSuccess', 'conflicted')
            """)
        return Set(try rows.map { try $0.identifier("payment_id") })
    }

    /// How many operations still hold sealed card data.
    func heldCards() async throws -> Int64 {
        try await connection.query("SELECT count(*) AS count FROM gateway.operations WHERE sealed_card IS NOT NULL")
            .first?.int64("count") ?? 0
    }

    /// Operations whose intent is committed and whose result is unknown.
    func intents() async throws -> Set<PaymentID> {
        let rows = try await connection.query(
            "SELECT payment_id FROM gateway.operations WHERE phase = 'submitting'")
        return Set(try rows.map { try $0.identifier("payment_id") })
    }
}
