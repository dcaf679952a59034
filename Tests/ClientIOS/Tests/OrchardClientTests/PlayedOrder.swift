import Foundation
import PassKitStub

@testable import OrchardClient

/// An order with a customer at the stub's sheet.
@MainActor
struct PlayedOrder {
    let server: ScriptedServer
    let payment: OrderPayment

    nonisolated static let opened = """
        {"expiresAt":"2026-11-25T12:00:00Z","orderId":"o1","revision":1,"ticket":"t1","paymentRequest":{},
         "passKitRequest":{"applicationData":"bzE=","countryCode":"CN","currencyCode":"CNY","merchantCapabilities":3,
           "merchantIdentifier":"merchant.example.tea","supportedNetworks":["ChinaUnionPay","Future","Visa"],
           "paymentSummaryItems":[{"amount":"109.00","label":"Tea House","type":0}],"shippingMethods":[
             {"amount":"8.00","detail":"3 days","identifier":"post","label":"Post"}]}}
        """

    init(_ server: ScriptedServer, timeLimit: Duration = .seconds(25)) throws {
        self.server = server
        var api = OrchardAPI(
            ledger: try Self.url("https://pay.example/ledger"), ingest: try Self.url("https://pay.example/ingest"),
            transport: server)
        api.pause = .milliseconds(10)
        payment = OrderPayment(try JSONDecoder().decode(OpenedOrder.self, from: Data(Self.opened.utf8)), api)
        payment.timeLimit = timeLimit
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return url
    }

    /// Shows the sheet to a customer.
    func present(
        _ customer: @escaping @MainActor @Sendable (PKPaymentAuthorizationController) async -> Void = { _ in }
    ) async -> OrderPayment.Outcome {
        await PKPaymentAuthorizationController.$customer.withValue(customer) { await payment.present() }
    }

    /// Has the customer authorise a payment, and returns what the sheet says and what is known when it has gone.
    func authorise() async -> (result: PKPaymentAuthorizationResult?, outcome: OrderPayment.Outcome) {
        var result: PKPaymentAuthorizationResult?
        let outcome = await present { sheet in
            result = await sheet.delegate?.paymentAuthorizationController(sheet, didAuthorizePayment: Self.authorised)
        }
        return (result, outcome)
    }

    static var authorised: PKPayment {
        let payment = PKPayment()
        payment.token.paymentData = Data(
            #"{"version":"EC_v1","data":"ZA==","signature":"cw==","header":{"transactionId":"ab"}}"#.utf8)
        payment.token.transactionIdentifier = "AB"
        payment.token.paymentMethod.displayName = "Visa 1234"
        payment.token.paymentMethod.network = PKPaymentNetwork(rawValue: "Visa")
        payment.token.paymentMethod.type = .credit
        let contact = PKContact()
        contact.phoneNumber = CNPhoneNumber(stringValue: "13800138000")
        payment.shippingContact = contact
        return payment
    }
}
