import Contracts
import Ledger

/// An order as its API keeps it: what the shop asked for, and the offer in force.
struct OfferedOrder: Hashable, Sendable {
    let id: OrderID
    let merchant: MerchantID
    let partitions: Int32
    let request: OfferRequest
    /// SHA-256 of the body that opened it: tells a repeated request from another one under the same key.
    let requestDigest: [UInt8]
    var revision: Int64
    /// The chosen shipping method of the newest revision.
    var shippingMethod: String?
    /// What the fold knows; `open` until it has seen the order.
    var status: OrderStatus = .open

    var partition: Int32 { Partitioner.partition(of: id, among: partitions) }

    /// The newest offer, priced again from the request.
    func offer(limit: Money? = nil) throws(OfferError) -> Offer {
        try Offer(request, revision: revision, shippingMethod: shippingMethod, maximum: limit)
    }
}
