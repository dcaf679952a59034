import Contracts
import Ledger
import OrchardCrypto
import OrchardJSON
import OrchardPostgres
import Outbox

/// The final lines of an order whose total was pending, as the API stored them.
struct FinalOffer: Hashable, Sendable {
    let revision: Int64
    /// The order's request with its final lines.
    let request: OfferRequest
    /// What the customer had chosen in the revision that was paid: the prices of the final lines depend on it, and later
    /// choices were never agreed to with a payment. nil when the revision is missing.
    let choice: OfferChoice?

    static func reading(of order: OrderID, in partition: Int32) -> PostgresStatement {
        reading(of: [order], in: partition)
    }

    static func reading(of orders: [OrderID], in partition: Int32) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT f.order_id, f.revision, f.request, f.request_digest, c.revision AS chosen_in, \(OfferStore.choiceColumns)
            FROM ledger.final_offers AS f
            LEFT JOIN LATERAL (
                SELECT paid_payment FROM ledger.orders AS o
                WHERE o.partition = f.partition AND o.order_id = f.order_id OFFSET 0) AS o ON true
            LEFT JOIN LATERAL (
                SELECT revision FROM ledger.payments AS p
                WHERE p.partition = f.partition AND p.order_id = f.order_id AND p.payment_id = o.paid_payment
                OFFSET 0) AS p ON true
            LEFT JOIN LATERAL (
                SELECT revision, \(OfferStore.choiceColumns) FROM ledger.offers AS c
                WHERE c.partition = f.partition AND c.order_id = f.order_id AND c.revision = p.revision
                OFFSET 0) AS c ON true
            WHERE f.partition = $1 AND f.order_id = ANY($2)
            """, [partition, orders])
    }

    init(_ row: PostgresRow) throws {
        revision = try row.int64("revision")
        request = try OfferStore.request(in: row, of: "final_offers")
        choice = try Self.choice(in: row)
    }

    /// ``choice`` of a row of ``reading(of:in:)``.
    static func choice(in row: PostgresRow) throws -> OfferChoice? {
        try row.optionalInt64("chosen_in").map { _ in try OfferStore.choice(in: row) }
    }

    /// Stores the final lines.
    static func insertion(
        of offer: Offer, _ command: CommandID, for order: OfferedOrder, at time: Timestamp
    ) -> Write {
        let request = offer.request.json
        return Write(
            """
            INSERT INTO ledger.final_offers (partition, order_id, revision, command_id, request, request_digest,
                created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                order.partition, order.id, offer.revision, command, request, SHA256.hash(request), time.postgres,
            ])
    }

    /// The final offer, priced again.
    func offer() throws(StoreError) -> Offer {
        guard let choice else {
            throw StoreError(.malformed, at: "final_offers", "the revision that was paid is missing")
        }
        do throws(OfferError) { return try Offer(request, revision: revision, choice) } catch {
            throw StoreError(.malformed, at: "final_offers.request", "the final lines have no price: \(error)")
        }
    }
}
