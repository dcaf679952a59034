import Foundation
import OrchardClient
import PassKitStub

/// Plays an app and its customer against running services:
///
///     PayOrder LEDGER INGEST OPENED [TOKEN]
///
/// OPENED is the shop's server's answer, TOKEN a file with the JSON of a `PKPaymentToken`. The customer chooses an
/// address in Shanghai, the method `courier`, a credit card and the coupon `TEA10`; without a token they dismiss the
/// sheet. Prints what the sheet shows, and how it ends.
@main
@MainActor
enum PayOrder {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let ledger = URL(string: arguments[1]), let ingest = URL(string: arguments[2])
        else {
            throw CocoaError(.featureUnsupported)
        }
        let opened = try JSONDecoder().decode(
            OpenedOrder.self, from: Data(contentsOf: URL(fileURLWithPath: arguments[3])))
        let order = OrderPayment(opened, OrchardAPI(ledger: ledger, ingest: ingest))
        let json = try arguments.dropFirst(4).first.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        var outcome = await PKPaymentAuthorizationController.$customer.withValue({ sheet in
            look(at: sheet.request)
            if let json { await play(json, on: sheet) }
        }) {
            await order.present()
        }
        if outcome == .confirming { outcome = await order.confirm() }
        print("outcome: \(outcome)")
    }

    private static func look(at request: PKPaymentRequest) {
        show("opened", request.paymentSummaryItems, [])
        if request.shippingContactEditingMode == .storePickup {
            print("pickup: \(request.shippingContact?.postalAddress?.street ?? "nowhere")")
        }
        if let later = request.recurringPaymentRequest { print("later: \(later.regularBilling.label)") }
        if let later = request.deferredPaymentRequest { print("later: \(later.deferredBilling.label)") }
        if let later = request.automaticReloadPaymentRequest { print("later: \(later.automaticReloadBilling.label)") }
    }

    private static func play(_ json: Data, on sheet: PKPaymentAuthorizationController) async {
        guard let delegate = sheet.delegate, let token = try? token(json) else { return }
        let abroad = PKContact()
        let japan = CNMutablePostalAddress()
        japan.isoCountryCode = "JP"
        abroad.postalAddress = japan
        let refused = await delegate.paymentAuthorizationController(sheet, didSelectShippingContact: abroad)
        show("Japan", refused.paymentSummaryItems, refused.errors)
        let served = await delegate.paymentAuthorizationController(sheet, didSelectShippingContact: address)
        show("Shanghai", served.paymentSummaryItems, served.errors)
        let courier = PKShippingMethod(label: "Courier", amount: 0)
        courier.identifier = "courier"
        let shipped = await delegate.paymentAuthorizationController(sheet, didSelectShippingMethod: courier)
        show("courier", shipped.paymentSummaryItems, [])
        let card = PKPaymentMethod()
        card.type = .credit
        let credit = await delegate.paymentAuthorizationController(sheet, didSelectPaymentMethod: card)
        show("credit card", credit.paymentSummaryItems, credit.errors)
        let coupon = await delegate.paymentAuthorizationController(sheet, didChangeCouponCode: "TEA10")
        show("TEA10", coupon.paymentSummaryItems, coupon.errors)
        let payment = PKPayment()
        (payment.token, payment.shippingContact) = (token, address)
        let result = await delegate.paymentAuthorizationController(sheet, didAuthorizePayment: payment)
        print("authorised: \(result.status)")
        for case let error as NSError in result.errors ?? [] { print("  \(error.code) \(error.localizedDescription)") }
    }

    private static func show(_ what: String, _ items: [PKPaymentSummaryItem], _ errors: [any Error]?) {
        print("\(what): \(items.last.map { "\($0.label) \($0.amount)" } ?? "nothing")")
        for case let error as NSError in errors ?? [] { print("  \(error.code) \(error.localizedDescription)") }
    }

    private static var address: PKContact {
        let contact = PKContact()
        var name = PersonNameComponents()
        (name.givenName, name.familyName) = ("Ada", "Zhou")
        contact.name = name
        contact.phoneNumber = CNPhoneNumber(stringValue: "13800138000")
        let address = CNMutablePostalAddress()
        (address.street, address.city, address.state) = ("1 Nanjing Road", "上海市", "上海市")
        (address.postalCode, address.isoCountryCode) = ("200001", "CN")
        contact.postalAddress = address
        return contact
    }

    /// A token as PassKit gives it, of its JSON on the web.
    private static func token(_ json: Data) throws -> PKPaymentToken {
        let members = try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
        let method = members["paymentMethod"] as? [String: String] ?? [:]
        let token = PKPaymentToken()
        token.paymentData = try JSONSerialization.data(withJSONObject: members["paymentData"] ?? [:])
        token.transactionIdentifier = members["transactionIdentifier"] as? String ?? ""
        token.paymentMethod.displayName = method["displayName"]
        token.paymentMethod.network = method["network"].map(PKPaymentNetwork.init(rawValue:))
        token.paymentMethod.type = .credit
        return token
    }
}
