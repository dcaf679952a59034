import Contracts
import OrchardCrypto
import OrchardJSON

/// What Apple's payment sheet gets of an offer: as Apple Pay JS spells it, and as PassKit does.
///
/// Goods are not listed: the sheet shows a few sums, and Apple learns no more of the basket than it must.
public struct PaymentSheet: Sendable {
    public let order: OrderID
    public let merchant: Merchant
    public let offer: Offer
    /// What the sheet starts with, if the shop knows it.
    public let presets: PresetContacts

    public init(order: OrderID, merchant: Merchant, offer: Offer, presets: PresetContacts = .init()) {
        self.order = order
        self.merchant = merchant
        self.offer = offer
        self.presets = presets
    }

    var request: OfferRequest { offer.request }

    /// `applicationData`: the order id's 32 ASCII digits. Apple signs their SHA-256 into the token, which ties the token to
    /// the order.
    private var applicationData: String { Base64.encode(Array(order.description.utf8)) }

    private var acceptance: CardAcceptance {
        CardAcceptance(
            merchant, request.currency, request.environment, for: request.captureMode, cardTypes: request.cardTypes)
    }

    /// Writes the members of an `ApplePayPaymentRequest`.
    public func writeRequest(to object: inout JSONObjectWriter) {
        object.member("applicationData", applicationData)
        writePlan(.automaticReload, to: &object)
        if let contact = presets.billing { object.object("billingContact") { contact.write(to: &$0) } }
        object.member("countryCode", merchant.countryCode)
        object.member("couponCode", offer.coupon?.coupon.code)
        object.member("currencyCode", offer.totals.currency.code)
        writePlan(.deferredPayment, to: &object)
        if !lines.isEmpty { write(lines, "lineItems", to: &object) }
        object.member("merchantCapabilities", acceptance.capabilities.map(\.rawValue))
        writePlan(.recurringPayment, to: &object)
        if !request.billingContactFields.isEmpty {
            object.member("requiredBillingContactFields", request.billingContactFields.map(\.rawValue))
        }
        let fields = request.requiredShippingFields
        if !fields.isEmpty { object.member("requiredShippingContactFields", fields.map(\.rawValue)) }
        writeShippingContact(to: &object)
        if request.pickup != nil { object.member("shippingContactEditingMode", "storePickup") }
        writeMethods("shippingMethods", to: &object)
        object.member("shippingType", request.shippingType?.rawValue)
        object.member("supportedNetworks", acceptance.networks.map(\.rawValue))
        if !request.coupons.isEmpty { object.member("supportsCouponCode", true) }
        object.object("total") { total.write(to: &$0) }
    }

    /// Writes the members of a `PKPaymentRequest`: its names, raw values of its enumerations, amounts as decimal text.
    public func writePassKitRequest(to object: inout JSONObjectWriter) {
        object.member("applicationData", applicationData)
        writePlan(.automaticReload, to: &object)
        if let contact = presets.billing { object.object("billingContact") { contact.write(to: &$0) } }
        object.member("countryCode", merchant.countryCode)
        object.member("couponCode", offer.coupon?.coupon.code)
        object.member("currencyCode", offer.totals.currency.code)
        writePlan(.deferredPayment, to: &object)
        object.member("merchantCapabilities", acceptance.capabilities.reduce(Int64(0)) { $0 | $1.passKitBit })
        object.member("merchantIdentifier", merchant.applePay.merchantIdentifier)
        writeSummaryItems(to: &object)
        writePlan(.recurringPayment, to: &object)
        if !request.billingContactFields.isEmpty {
            object.member("requiredBillingContactFields", request.billingContactFields.map(\.passKitName))
        }
        let fields = request.requiredShippingFields
        if !fields.isEmpty { object.member("requiredShippingContactFields", fields.map(\.passKitName)) }
        writeShippingContact(to: &object)
        if request.pickup != nil { object.member("shippingContactEditingMode", Int64(2)) }
        writeMethods("shippingMethods", to: &object)
        object.member("shippingType", request.shippingType?.passKitValue)
        object.member("supportedNetworks", acceptance.networks.map(\.passKitName))
        if !request.coupons.isEmpty { object.member("supportsCouponCode", true) }
    }

    /// Writes `paymentSummaryItems`: all lines with the total as the last.
    func writeSummaryItems(to object: inout JSONObjectWriter) {
        object.array("paymentSummaryItems") { array in
            for line in lines + [total] { array.object { line.writePassKit(to: &$0) } }
        }
    }

    /// The store, or the customer's address that the shop knows.
    private func writeShippingContact(to object: inout JSONObjectWriter) {
        guard let contact = request.pickup ?? presets.shipping else { return }
        object.object("shippingContact") { contact.write(to: &$0) }
    }

    private func writePlan(_ kind: BillingPlan.Kind, to object: inout JSONObjectWriter) {
        guard let plan = request.billingPlan, plan.kind == kind else { return }
        object.object(kind.sheetMember) { plan.writeSheet(to: &$0, in: request.currency) }
    }

    func write(_ lines: [SheetLine], _ name: String, to object: inout JSONObjectWriter) {
        object.array(name) { array in
            for line in lines { array.object { line.write(to: &$0) } }
        }
    }

    /// Writes the methods that serve the chosen address; nothing for an order without methods.
    func writeMethods(_ name: String, to object: inout JSONObjectWriter) {
        guard !request.shippingMethods.isEmpty else { return }
        object.array(name) { array in
            for method in methods {
                array.object { object in
                    object.member("amount", decimal(method.amount))
                    if let arrival = method.arrival {
                        object.object("dateComponentsRange") { arrival.writeRange(to: &$0) }
                    }
                    object.member("detail", method.detail)
                    object.member("identifier", method.identifier)
                    object.member("label", method.label)
                }
            }
        }
    }

    /// The chosen method first: the sheet preselects the first one.
    private var methods: [ShippingMethod] {
        let chosen = offer.shippingMethod
        return [chosen].compactMap(\.self)
            + request.shippingMethods.filter { $0 != chosen && $0.serves(offer.choice.region) }
    }

    /// The summary lines. Parts of zero are left out, but for the shipping of an order that is shipped; a line that would
    /// only repeat the total is left out, too.
    var lines: [SheetLine] {
        let (texts, totals) = (request.language.texts, offer.totals)
        var lines = [line(texts.subtotal, offer.goods)]
        lines += request.extraLines.map { line($0.label, $0.amount) }
        if let price = offer.cardTypePrice { lines.append(line(price.rule.label, price.amount)) }
        if offer.discount > 0 { lines.append(line(texts.discount, -offer.discount)) }
        if let coupon = offer.coupon { lines.append(line(coupon.coupon.label, -coupon.discount)) }
        if offer.shippingMethod != nil { lines.append(line(texts.shipping, totals.shipping)) }
        if totals.tax > 0 { lines.append(line(texts.tax, totals.tax)) }
        return lines.count > 1 ? lines : []
    }

    /// The last line: who is paid, and the sum of the others. A pending one says that the final amount may differ.
    var total: SheetLine {
        let name = request.payeeName.map { request.language.texts.payee($0, merchant.displayName) }
        return SheetLine(
            label: name ?? merchant.displayName, amount: decimal(offer.totals.total),
            isPending: request.isTotalPending)
    }

    private func line(_ label: String, _ amount: Int64) -> SheetLine {
        SheetLine(label: label, amount: decimal(amount))
    }

    private func decimal(_ amount: Int64) -> String {
        Money(minorUnits: amount, currency: offer.totals.currency).decimal
    }
}

/// A line of the sheet (`ApplePayLineItem`, `PKPaymentSummaryItem`).
struct SheetLine: Hashable, Sendable {
    let label: String
    let amount: String
    /// Whether the amount is not final.
    var isPending = false

    func write(to object: inout JSONObjectWriter) {
        object.member("amount", amount)
        object.member("label", label)
        object.member("type", isPending ? "pending" : "final")
    }

    func writePassKit(to object: inout JSONObjectWriter) {
        object.member("amount", amount)
        object.member("label", label)
        object.member("type", Int64(isPending ? 1 : 0))
    }
}
