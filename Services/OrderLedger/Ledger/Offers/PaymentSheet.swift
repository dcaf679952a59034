import Contracts
import OrchardCrypto
import OrchardJSON

/// What Apple's payment sheet is told of an offer (Apple Pay JS; the same members serve `PKPaymentRequest`).
///
/// Goods are not listed: the sheet shows a few sums, and Apple learns no more of the basket than it must.
public struct PaymentSheet: Sendable {
    public let order: OrderID
    public let merchant: Merchant
    public let offer: Offer

    public init(order: OrderID, merchant: Merchant, offer: Offer) {
        self.order = order
        self.merchant = merchant
        self.offer = offer
    }

    /// Writes the members of an `ApplePayPaymentRequest`.
    ///
    /// `applicationData` is the order id's 32 ASCII digits; Apple signs their SHA-256 into the token, which ties the
    /// token to the order.
    public func writeRequest(to object: inout JSONObjectWriter) {
        object.member("applicationData", Base64.encode(Array(order.description.utf8)))
        object.member("countryCode", merchant.countryCode)
        object.member("currencyCode", offer.totals.currency.code)
        writeItems("lineItems", to: &object)
        object.member("merchantCapabilities", capabilities)
        if !offer.request.shippingMethods.isEmpty {
            object.array("shippingMethods") { array in
                for method in methods {
                    array.object { object in
                        object.member("amount", decimal(method.amount))
                        object.member("detail", method.detail)
                        object.member("identifier", method.identifier)
                        object.member("label", method.label)
                    }
                }
            }
        }
        object.member("supportedNetworks", merchant.networks.map(\.rawValue))
        object.object("total") { writeTotal(to: &$0) }
    }

    /// Writes the members of an `ApplePayShippingMethodUpdate`.
    public func writeShippingMethodUpdate(to object: inout JSONObjectWriter) {
        writeItems("newLineItems", to: &object)
        object.object("newTotal") { writeTotal(to: &$0) }
    }

    /// The chosen method first: the sheet preselects the first one.
    private var methods: [ShippingMethod] {
        let chosen = offer.shippingMethod
        return [chosen].compactMap(\.self) + offer.request.shippingMethods.filter { $0 != chosen }
    }

    /// `supports3DS` is required by Apple; `supportsEMV` for acquirers that take EMV data, such as UnionPay in China.
    private var capabilities: [String] {
        let takesEMV = merchant.routes.contains { $0.paymentData.contains(.emv) }
        return takesEMV ? ["supports3DS", "supportsEMV"] : ["supports3DS"]
    }

    /// The summary lines; parts of zero are left out, but for the shipping of an order that is shipped.
    private var items: [(label: String, amount: Int64)] {
        let totals = offer.totals
        var items = [("Subtotal", totals.subtotal)]
        if totals.discount > 0 { items.append(("Discount", -totals.discount)) }
        if offer.shippingMethod != nil { items.append(("Shipping", totals.shipping)) }
        if totals.tax > 0 { items.append(("Tax", totals.tax)) }
        return items
    }

    private func writeItems(_ name: String, to object: inout JSONObjectWriter) {
        object.array(name) { array in
            for item in items { array.object { writeItem(item.label, item.amount, to: &$0) } }
        }
    }

    private func writeTotal(to object: inout JSONObjectWriter) {
        writeItem(merchant.displayName, offer.totals.total, to: &object)
    }

    private func writeItem(_ label: String, _ amount: Int64, to object: inout JSONObjectWriter) {
        object.member("amount", decimal(amount))
        object.member("label", label)
        object.member("type", "final")
    }

    private func decimal(_ amount: Int64) -> String {
        Money(minorUnits: amount, currency: offer.totals.currency).decimal
    }
}
