import Contracts
import Ledger
import OrchardCrypto
import Outbox

/// An order as the API stores it: the shop's request, and the offer in force.
struct OfferedOrder: Hashable, Sendable {
    let id: OrderID
    let merchant: MerchantID
    let partitions: Int32
    let request: OfferRequest
    var revision: Int64
    /// What the customer has chosen in the newest revision.
    var choice: OfferChoice
    /// The status that the fold knows; `open` until the fold has processed the order.
    var status: OrderStatus = .open

    /// SHA-256 of the request's canonical text. It distinguishes a repeated request from another one under the same
    /// key, and shows whether the stored request was changed.
    var requestDigest: [UInt8] { SHA256.hash(request.json) }

    var partition: Int32 { Partitioner.partition(of: id, among: partitions) }

    /// The newest offer, priced again from the request.
    ///
    /// - Throws: `StoreError`. The request was priced before: if it has no price now, the database is at fault, not the
    ///   caller.
    func offer() throws(StoreError) -> Offer {
        do throws(OfferError) {
            return try Offer(request, revision: revision, choice)
        } catch {
            throw StoreError(.malformed, at: "offered_orders.request", "order \(id) has no price: \(error)")
        }
    }
}
