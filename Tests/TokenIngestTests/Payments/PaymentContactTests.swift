import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import OrchardServiceKit
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("The contact of a payment")
struct PaymentContactTests {
    private static let required = RequiredContact(shipping: [.name, .postalAddress], billing: [.postalAddress])
    private static let address =
        #"{"givenName":"Ada","familyName":"Zhou","countryCode":"CN","addressLines":["1 Nanjing Rd"],"locality":"Shanghai","phoneNumber":"13800138000"}"#

    private static func body(_ token: MintedToken, _ members: [String]) -> [UInt8] {
        Array("{\"token\":".utf8) + token.json + Array((members.map { "," + $0 }.joined() + "}").utf8)
    }

    private static let complete = [
        "\"shippingContact\":\(address)", "\"billingContact\":\(address)",
        #""invoice":{"title":"Orchard Ltd","taxNumber":"91310000"}"#,
    ]

    @Test("is published before the command, sealed to order-ledger, with no more than the order asks for")
    func published() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), requiredContact: Self.required)
        let token = try shop.mint(order: Shop.order())
        let answer = try await shop.send(Self.body(token, Self.complete), ticket: ticket)
        #expect(answer.status == 202, "\(answer)")
        #expect(shop.sink.messages.map(\.topic) == ["orchard.contacts.v1", "orchard.charges.v1"])

        let message = try #require(shop.sink.messages.first)
        #expect(message.partition == Partitioner.partition(of: Shop.order(), among: 12))
        #expect(message.key == Array(Shop.order().description.utf8))
        let event = try CloudEvent(headers: message.headers.map { ($0.name, $0.value) }, value: message.value)
        #expect(event.type == "orchard.contact.received.v1" && event.source == "/token-ingest")
        let received = try ContactReceived(parsing: event.data)
        let payment = PaymentID(merchant: shop.merchants[0], transactionID: token.transactionID)
        #expect(received.order == Shop.order() && received.payment == payment)
        #expect(received.merchant == shop.merchants[0] && received.id == event.id)

        let plain = try JWE.open(
            received.sealedContact, keys: { $0 == "contacts" ? shop.contactKey : nil }, apu: payment.bytes,
            apv: Shop.order().bytes)
        let contact = try plain.withBytes { try OrderContact(parsing: Array($0)) }
        #expect(contact.shipping?.givenName == "Ada" && contact.shipping?.locality == "Shanghai")
        #expect(contact.shipping?.phoneNumber == nil, "the order does not ask for it")
        #expect(contact.billing?.addressLines == ["1 Nanjing Rd"] && contact.billing?.familyName == nil)
        #expect(contact.invoice?.taxNumber == "91310000")
        for secret in ["Ada", "Zhou", "Nanjing", "91310000", "Orchard Ltd"] {
            #expect(!shop.log.text.contains(secret))
            for message in shop.sink.messages {
                #expect(!String(decoding: message.value, as: UTF8.self).contains(secret))
            }
        }
    }

    @Test("is not published for an order that asks for none")
    func none() async throws {
        let shop = try Shop()
        let answer = try await shop.pay(
            try shop.mint(order: Shop.order()).json, ticket: try shop.ticket(order: Shop.order()), contact: Self.address
        )
        #expect(answer.status == 202)
        #expect(shop.sink.messages.map(\.topic) == ["orchard.charges.v1"])
    }

    @Test("that lacks a part is refused with Apple's errors, and no money is asked for")
    func incomplete() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), requiredContact: Self.required)
        let answer = try await shop.send(
            Self.body(try shop.mint(order: Shop.order()), ["\"shippingContact\":{\"countryCode\":\"CN\"}"]),
            ticket: ticket)
        #expect(answer.status == 422)
        #expect(answer["stage"] == "contact" && answer["reason"] == "contactIncomplete")
        let errors = answer.json?["applePay"]?["errors"]?.array ?? []
        #expect(
            errors.compactMap { $0["contactField"]?.string } == ["name", "addressLines", "countryCode"])
        #expect(
            errors.compactMap { $0["code"]?.string }
                == ["shippingContactInvalid", "shippingContactInvalid", "billingContactInvalid"])
        #expect(shop.sink.messages.map(\.topic) == ["orchard.attempts.v1"])
    }

    @Test(
        "that lacks a part is asked for in the order's language, else in the device's",
        arguments: [
            (nil, nil, SheetLanguage.english), (nil, "zh-CN", .chinese), (.chinese, "en-GB", .chinese),
            (.english, "zh-CN", .english),
        ] as [(SheetLanguage?, String?, SheetLanguage)])
    func language(ofOrder order: SheetLanguage?, ofDevice device: String?, _ expected: SheetLanguage) async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(
            order: Shop.order(), region: "CN", requiredContact: RequiredContact(shipping: [.name]), language: order)
        let token = try shop.mint(order: Shop.order())
        let contacts = [
            (#""shippingContact":{"countryCode":"CN"}"#, "contact", expected.texts.nameMissing),
            (#""shippingContact":{"countryCode":"JP"}"#, "region", expected.texts.addressChanged),
        ]
        for (contact, stage, text) in contacts {
            let answer = try await shop.send(Self.body(token, [contact]), ticket: ticket, acceptLanguage: device)
            #expect(answer["stage"] == stage)
            #expect(answer.json?["applePay"]?["errors"]?.array?.first?["message"]?.string == text)
        }
    }

    @Test("that Kafka did not take is not charged; the same body is taken later")
    func unacknowledged() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), requiredContact: Self.required)
        let body = Self.body(try shop.mint(order: Shop.order()), Self.complete)
        shop.sink.fail(with: .init(.deliveryTimedOut, "away"))
        #expect(try await shop.send(body, ticket: ticket).status == 503)
        #expect(shop.sink.messages.isEmpty)
        shop.sink.fail(with: nil)
        #expect(try await shop.send(body, ticket: ticket).status == 202)
        #expect(shop.sink.messages.map(\.topic) == ["orchard.contacts.v1", "orchard.charges.v1"])
    }

    @Test("waits when there is no key to seal it to")
    func noKey() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), requiredContact: Self.required)
        try Shop.write(Array(#"{"keys":[]}"#.utf8), to: shop.folder.appending(path: "contact.json"))
        #expect(shop.endpoint.contactKeys.reload() == nil)
        let answer = try await shop.send(
            Self.body(try shop.mint(order: Shop.order()), Self.complete), ticket: ticket)
        #expect(answer.status == 503 && answer["code"] == "not-ready")
        #expect(shop.sink.messages.isEmpty)
    }
}
