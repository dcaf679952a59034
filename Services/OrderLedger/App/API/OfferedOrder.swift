import Contracts
import Ledger
import OrchardCrypto
import Outbox

/// An order as its API keeps it: what the shop asked for, and the offer in force.
struct OfferedOrder: Hashable, Sendable {
    let id: OrderID
    let merchant: MerchantID
    let partitions: Int32
    let request: OfferRequest
    var revision: Int64
    /// The chosen shipping method of the newest revision.
    var shippingMethod: String?
    /// What the fold knows; `open` until it has seen the order.
    var status: OrderStatus = .open

    /// SHA-256 of the request's canonical text: tells a repeated request from another one under the same key, and a
    /// stored one from what somebody made of it.
    var requestDigest: [UInt8] { SHA256.hash(request.json) }

    var partition: Int32 { Partitioner.partition(of: id, among: partitions) }

    /// The newest offer, priced again from the request.
    ///
    /// - Throws: `StoreError`: it was priced before, so that a request without a price is the database's fault, not the
    ///   caller's.
    func offer() throws(StoreError) -> Offer {
        do throws(OfferError) {
            return try Offer(request, revision: revision, shippingMethod: shippingMethod)
        } catch {
            throw StoreError(.malformed, at: "offered_orders.request", "order \(id) has no price: \(error)")
        }
    }
}
