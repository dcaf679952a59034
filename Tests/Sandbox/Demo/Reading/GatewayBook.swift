import Contracts
import OrchardPostgres

/// Reads the gateway's tables.
struct GatewayBook: Sendable {
    let connection: PostgresConnection

    /// Operations, with the reason in the last fact of each.
    ///
    /// - Parameter published: the gateway's facts in the journal; its outbox keeps no published facts.
    func payments(published: GatewayFacts) async throws -> [BookedPayment] {
        let rows = try await connection.query(
            """
            SELECT order_id, payment_id, kind, phase, amount FROM gateway.operations
            WHERE kind IN ('sale', 'authorisation')
            """)
        return try rows.map { row in
            let (order, payment) = (
                try row.identifier("order_id") as OrderID, try row.identifier("payment_id") as PaymentID
            )
            return BookedPayment(
                order: order, payment: payment,
                outcome: OrderEnd.Outcome(
                    status: try Self.status(row), reason: published.lastReason(order: order, payment: payment),
                    amount: try row.int64("amount")))
        }
    }

    /// What captures and sales took less what refunds and voids gave back, by order.
    func kept() async throws -> [OrderID: Int64] {
        let rows = try await connection.query(
            """
            SELECT order_id, sum(amount)::bigint AS kept FROM (
                SELECT order_id, amount FROM gateway.operations
                WHERE kind = 'sale' AND phase IN ('succeeded', 'lateSuccess')
                UNION ALL
                SELECT order_id, CASE
                    WHEN kind = 'capture' THEN amount
                    WHEN kind = 'refund' OR target IN ('sale', 'capture') THEN -amount
                    ELSE 0 END
                FROM gateway.follow_ups WHERE phase = 'succeeded') AS moved
            GROUP BY order_id
            """)
        return Dictionary(
            try rows.map { (try $0.identifier("order_id"), try $0.int64("kept")) }, uniquingKeysWith: { $0 + $1 })
    }

    private static func status(_ row: PostgresRow) throws -> String {
        let (kind, phase) = (try row.string("kind"), try row.string("phase"))
        return kind == "authorisation" && phase == "succeeded" ? "authorised" : phase
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
