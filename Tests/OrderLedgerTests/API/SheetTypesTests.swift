import Contracts
import Foundation
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import Testing

@testable import OrderLedger

/// Interfaces of Apple Pay JS, read from the published TypeScript declarations.
private struct AppleTypes {
    static let path = "../shared/types/applepayjs.d.ts"
    static var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// The members of each interface and whether one is required.
    private let interfaces: [String: [String: Bool]]

    init() throws {
        var interfaces: [String: [String: Bool]] = [:]
        var name: String?
        for line in try String(contentsOfFile: Self.path, encoding: .utf8).split(separator: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let match = text.firstMatch(of: /^(?:export )?(?:abstract )?(?:interface|class) (\w+)/) {
                name = String(match.1)
            } else if text == "}" {
                name = nil
            } else if let open = name, let match = text.firstMatch(of: /^(\w+)(\??):/) {
                interfaces[open, default: [:]][String(match.1)] = match.2.isEmpty
            }
        }
        self.interfaces = interfaces
    }

    /// What contradicts the interface in an object.
    func faults(_ value: JSONValue?, _ interface: String) -> [String] {
        guard let members = value?.members, let known = interfaces[interface] else { return ["no \(interface)"] }
        let names = Set(members.map(\.name))
        return names.filter { known[$0] == nil }.map { "\(interface) has no \($0)" }.sorted()
            + known.filter { $0.value && !names.contains($0.key) }.map { "\(interface) needs \($0.key)" }.sorted()
    }
}

@Suite("What the sheet is told, against the published types of Apple Pay JS", .enabled(if: AppleTypes.exists))
struct SheetTypesTests {
    @Test("A payment request has the members of ApplePayPaymentRequest", arguments: FullOrder.all)
    func request(_ text: String) async throws {
        let types = try AppleTypes()
        try await TestShop.with { shop in
            let order = try await shop.open(OfferRequest(parsing: Array(text.utf8)))
            let request = order.answer["paymentRequest"]
            #expect(types.faults(request, "ApplePayPaymentRequest") == [])
            for item in (request?["lineItems"]?.array ?? []) + [request?["total"]].compactMap(\.self) {
                #expect(types.faults(item, "ApplePayLineItem") == [])
            }
            for method in request?["shippingMethods"]?.array ?? [] {
                #expect(types.faults(method, "ApplePayShippingMethod") == [])
                guard let range = method["dateComponentsRange"] else { continue }
                #expect(types.faults(range, "ApplePayDateComponentsRange") == [])
                #expect(types.faults(range["startDateComponents"], "ApplePayDateComponents") == [])
            }
            for (member, interface) in [
                ("recurringPaymentRequest", "ApplePayRecurringPaymentRequest"),
                ("deferredPaymentRequest", "ApplePayDeferredPaymentRequest"),
                ("automaticReloadPaymentRequest", "ApplePayAutomaticReloadPaymentRequest"),
            ] {
                guard let plan = request?[member] else { continue }
                #expect(types.faults(plan, interface) == [])
                for billing in ["regularBilling", "trialBilling", "deferredBilling", "automaticReloadBilling"] {
                    if let line = plan[billing] { #expect(types.faults(line, "ApplePayLineItem") == []) }
                }
            }
            if let contact = request?["shippingContact"] {
                #expect(types.faults(contact, "ApplePayPaymentContact") == [])
            }
        }
    }

    @Test(
        "An update has the members of Apple's update object, and its errors those of ApplePayError",
        arguments: [
            (
                "shipping-contact", #"{"shippingContact":{"countryCode":"JP"}}"#, "shippingContactUpdate",
                "ApplePayShippingContactUpdate"
            ),
            (
                "shipping-method", #"{"shippingMethod":"courier"}"#, "shippingMethodUpdate",
                "ApplePayShippingMethodUpdate"
            ),
            ("coupon-code", #"{"couponCode":"NO"}"#, "couponCodeUpdate", "ApplePayCouponCodeUpdate"),
            (
                "payment-method", #"{"paymentMethod":{"type":"debit"}}"#, "paymentMethodUpdate",
                "ApplePayPaymentMethodUpdate"
            ),
        ])
    func update(_ route: String, _ body: String, _ member: String, _ interface: String) async throws {
        let types = try AppleTypes()
        try await TestShop.with { shop in
            let order = try await shop.open(OfferRequest(parsing: Array(FullOrder.json.utf8)))
            let answer = try await shop.send(
                .post, "/v1/orders/\(order.id)/\(route)", bearer: order.ticket, body: Array(body.utf8))
            let update = try answer.json[member]
            #expect(types.faults(update, interface) == [], "\(answer.text)")
            for error in update?["errors"]?.array ?? [] { #expect(types.faults(error, "ApplePayError") == []) }
        }
    }
}
