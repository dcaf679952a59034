import Contracts
import OrchardJSON

/// The contacts that a shop already has of its customer: the sheet starts with them (`shippingContact` and
/// `billingContact` of `ApplePayPaymentRequest` and `PKPaymentRequest`).
///
/// They go from the request into its answer and are stored nowhere: a shop that repeats its request sends them again.
public struct PresetContacts: Hashable, Sendable {
    public var shipping: PaymentContact?
    public var billing: PaymentContact?

    /// None.
    public init() {}

    /// Reads them from the body of `POST /v1/orders`.
    ///
    /// - Throws: `JSONError` with the member's name.
    public init(parsing body: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(body) { reader throws(JSONError) in
            var contacts = PresetContacts()
            try reader.object { reader, name throws(JSONError) in
                switch name {
                case "billingContact": contacts.billing = try PaymentContact(json: &reader)
                case "shippingContact": contacts.shipping = try PaymentContact(json: &reader)
                default: try reader.skip()
                }
            }
            return contacts
        }
    }

    /// - Throws: `OfferError` when the store is the address already.
    public func check(_ request: OfferRequest) throws(OfferError) {
        if request.pickup != nil, shipping != nil {
            throw OfferError(
                .contradiction, field: "shippingContact", "the sheet shows the store of a pickup, and no other address")
        }
    }
}
