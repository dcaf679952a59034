import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Where a payment is in the books.
struct PaymentPlace: Hashable, Sendable {
    let order: OrderPlace
    let payment: PaymentID
}

/// One payment of an order, and the payment that paid the order.
struct StoredPayment: Sendable {
    let state: PaymentState
    let paidBy: PaymentID?
}

extension OrderStore {
    /// Payments as the fold knows them.
    ///
    /// - Returns: for each place; nil when the fold does not know the payment.
    static func payments(
        at places: [PaymentPlace], on connection: PostgresConnection
    ) async throws -> [StoredPayment?] {
        let rows = try await connection.query(
            """
            SELECT \(Self.paymentColumns), p.paid_payment
            FROM unnest($1::integer[], $2::uuid[], $3::uuid[]) AS wanted(place, id, payment) CROSS JOIN LATERAL (
                SELECT \(Self.paymentColumns), o.paid_payment
                FROM ledger.payments p JOIN ledger.orders o ON o.partition = p.partition AND o.order_id = p.order_id
                WHERE p.partition = wanted.place AND p.order_id = wanted.id AND p.payment_id = wanted.payment
                OFFSET 0) AS p
            """, [places.map(\.order.partition), places.map(\.order.order), places.map(\.payment)])
        var found: [PaymentPlace: StoredPayment] = [:]
        for row in rows {
            let state = try payment(row)
            found[PaymentPlace(order: try OrderPlace(row), payment: state.payment)] = StoredPayment(
                state: state, paidBy: try row.optionalIdentifier("paid_payment"))
        }
        return places.map { found[$0] }
    }
}
