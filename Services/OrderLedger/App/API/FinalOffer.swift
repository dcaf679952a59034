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

    static func reading(of order: OrderID, in partition: Int32) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT revision, request, request_digest FROM ledger.final_offers WHERE partition = $1 AND order_id = $2
            """, [partition, order])
    }

    init(_ row: PostgresRow) throws {
        revision = try row.int64("revision")
        request = try OfferStore.request(in: row, of: "final_offers")
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
    func offer(_ choice: OfferChoice) throws(StoreError) -> Offer {
        do throws(OfferError) { return try Offer(request, revision: revision, choice) } catch {
            throw StoreError(.malformed, at: "final_offers.request", "the final lines have no price: \(error)")
        }
    }
}
