import Contracts
import Foundation
import KafkaBridge
import OrchardJSON
import OrchardServiceKit
import SandboxWallet
import TestSupport
import Testing

@testable import TokenIngest

@Suite("A payment that is rejected")
struct RejectedPaymentTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let stage: String
        let reason: String
        var ticket: @Sendable (Shop) throws -> String = { try $0.ticket(order: Shop.order()) }
        var order: OrderID? = Shop.order()
        var merchant = 0
        var contact = ""
        var change: @Sendable (inout MintRequest) -> Void = { _ in }
    }

    static let cases = [
        Case(
            testDescription: "over another amount", stage: "amount", reason: "amountDiffers",
            change: { $0.amount = 1_233 }),
        Case(
            testDescription: "with an old ticket after the order became dearer", stage: "amount",
            reason: "amountDiffers", ticket: { try $0.ticket(order: Shop.order(), amount: 1_734) }),
        Case(
            testDescription: "in another currency", stage: "currency", reason: "currencyDiffers",
            change: { $0.currency = "USD" }),
        Case(
            testDescription: "made for another order", stage: "applicationData", reason: "applicationDataDiffers",
            order: Shop.order(9)),
        Case(
            testDescription: "made for no order", stage: "applicationData", reason: "applicationDataMissing",
            order: nil),
        Case(
            testDescription: "of a network that the ticket does not name", stage: "network",
            reason: "networkNotAllowed", change: { $0.network = .masterCard }),
        Case(
            testDescription: "of a card number in no network's range, whatever the device says", stage: "network",
            reason: "networkUnknown", change: { $0.accountNumber = "9999999999999995" }),
        Case(
            testDescription: "with the store's own card, which the ticket does not name", stage: "network",
            reason: "networkNotAllowed", change: { $0.accountNumber = "6035740000000006" }),
        Case(
            testDescription: "with another merchant's own card", stage: "network", reason: "networkUnknown",
            ticket: { try $0.ticket(order: Shop.order(), merchant: 1, networks: [.privateLabel]) }, merchant: 1,
            change: { $0.accountNumber = "6035740000000006" }),
        Case(
            testDescription: "encrypted for another merchant", stage: "key", reason: "keyUnknown", merchant: 1),
        Case(
            testDescription: "with the ticket of another merchant", stage: "key", reason: "keyUnknown",
            ticket: { try $0.ticket(order: Shop.order(), merchant: 1) }),
        Case(
            testDescription: "to an address in another country", stage: "region", reason: "regionDiffers",
            ticket: { try $0.ticket(order: Shop.order(), region: "CN") }, contact: #"{"countryCode":"JP"}"#),
        Case(
            testDescription: "without the address that the price depends on", stage: "region",
            reason: "regionMissing", ticket: { try $0.ticket(order: Shop.order(), region: "CN") }),
        Case(
            testDescription: "to another part of the country", stage: "region", reason: "regionDiffers",
            ticket: { try $0.ticket(order: Shop.order(), region: "CN/上海市") },
            contact: #"{"countryCode":"CN","administrativeArea":"四川省"}"#),
        Case(
            testDescription: "with a card of another type than the price holds for", stage: "cardType",
            reason: "cardTypeDiffers", ticket: { try $0.ticket(order: Shop.order(), cardTypes: [.debit]) },
            change: { $0.accountNumber = "6225880000000007" }),
        Case(
            testDescription: "with a card whose type nobody can check, whatever the device claims", stage: "cardType",
            reason: "cardTypeUnknown", ticket: { try $0.ticket(order: Shop.order(), cardTypes: CardType.allCases) },
            change: { $0.accountNumber = "6212340000000000" }),
        Case(
            testDescription: "signed in the future", stage: "time", reason: "signedAtOtherTime",
            change: { $0.signedAt += 400 }),
    ]

    // Failure scenarios 29, 30, 54.
    @Test("is not published for the gateway; the attempt says at which stage and why", arguments: cases)
    func rejected(_ example: Case) async throws {
        let shop = try Shop()
        let token = try shop.mint(order: example.order, merchant: example.merchant, example.change)
        let answer = try await shop.pay(token.json, ticket: try example.ticket(shop), contact: example.contact)
        try check(answer, shop, stage: example.stage, reason: example.reason)
        let seen = String(decoding: answer.text, as: UTF8.self) + shop.log.text + shop.metrics.expose() + shop.sink.text
        for secret in token.secrets { #expect(!seen.contains(secret)) }
    }

    @Test("at the verifier's stage", arguments: MintingFault.allCases.filter { $0 != .duplicateKey })
    func token(_ fault: MintingFault) async throws {
        let shop = try Shop()
        let token = try shop.mint(order: Shop.order(), fault: fault)
        let answer = try await shop.pay(token.json, ticket: try shop.ticket(order: Shop.order()))
        // A token that was signed long ago is not rejected: see LatePaymentTests.
        guard fault != .signedTooEarly else { return #expect(answer.status == 409) }
        try check(answer, shop, stage: fault.stage, reason: nil)
    }

    @Test("names Xcode's Simulator when its token comes from there")
    func simulator() async throws {
        let shop = try Shop()
        let token = try shop.mint(order: Shop.order(), fault: .simulatorToken)
        let answer = try await shop.pay(token.json, ticket: try shop.ticket(order: Shop.order()))
        #expect(answer["detail"]?.contains("Simulator") == true, "\(answer)")
    }

    @Test("names what the customer can correct on the sheet, in Apple's terms")
    func sheetError() async throws {
        let shop = try Shop()
        let answer = try await shop.pay(
            try shop.mint(order: Shop.order()).json, ticket: try shop.ticket(order: Shop.order(), region: "CN"),
            contact: #"{"countryCode":"JP"}"#)
        let applePay = answer.json?["applePay"]
        #expect(applePay?["status"]?.string == "STATUS_FAILURE")
        #expect(applePay?["passKit"]?["status"]?.integer == 1)
        #expect(applePay?["passKit"]?["errors"]?.array?.first?["postalAddressKey"]?.string == "ISOCountryCode")
        #expect(applePay?["errors"]?.array?.first?["code"]?.string == "shippingContactInvalid")
        #expect(applePay?["errors"]?.array?.first?["contactField"]?.string == "countryCode")
    }

    @Test("is answered even when it cannot be published")
    func journalAway() async throws {
        let shop = try Shop()
        shop.sink.fail(with: .init(.deliveryTimedOut, "away"))
        let token = try shop.mint(order: Shop.order()) { $0.amount = 1 }
        let answer = try await shop.pay(token.json, ticket: try shop.ticket(order: Shop.order()))
        #expect(answer.status == 422)
    }

    @Test("is answered while Kafka hangs, and uses no payment slot meanwhile", .timeLimit(.minutes(4)))
    func kafkaHangs() async throws {
        let shop = try Shop(maximumPayments: 1)
        let gate = Gate()
        shop.sink.wait(for: gate)
        let wrong = try shop.mint(order: Shop.order()) { $0.amount = 1 }
        let body = Array("{\"token\":".utf8) + wrong.json + Array("}".utf8)
        let ticket = try shop.ticket(order: Shop.order())
        for _ in 1...3 { #expect(try await shop.answer(to: body, ticket: ticket).status == 422) }
        #expect(shop.sink.messages.isEmpty)
        gate.open()
        await shop.endpoint.rejections.publishWaiting()
        #expect(shop.sink.messages.count == 3)
    }

    @Test("waits to be published in a bounded queue; what does not fit is dropped and counted")
    func queue() async throws {
        let shop = try Shop()
        let rejection = PaymentRejected(
            order: Shop.order(), merchant: shop.merchants[0], attempt: AttemptID(order: Shop.order(), body: []),
            stage: "amount", reason: "amountDiffers")
        for _ in 0..<RejectionQueue.capacity + 7 {
            shop.endpoint.rejections.add(rejection, partition: 0, at: shop.now)
        }
        await shop.endpoint.rejections.publishWaiting()
        #expect(shop.sink.messages.count == RejectionQueue.capacity)
        #expect(shop.metrics.expose().contains("token_ingest_rejections_not_published_total 7"))
    }

    @Test("is published before the process ends")
    func shutdown() async throws {
        let shop = try Shop()
        let wrong = try shop.mint(order: Shop.order()) { $0.amount = 1 }
        let body = Array("{\"token\":".utf8) + wrong.json + Array("}".utf8)
        #expect(try await shop.answer(to: body, ticket: shop.ticket(order: Shop.order())).status == 422)
        let shutdown = GracefulShutdown()
        shutdown.begin()
        try await GracefulShutdown.$current.withValue(shutdown) { try await shop.endpoint.rejections.run() }
        #expect(shop.sink.messages.count == 1)
    }

    @Test("does not fill the topic: a ticket's holder gets each answer, and only a few rejections are published")
    func flood() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        for attempt in 0..<RejectionLimit.perOrder + 5 {
            let answer = try await shop.pay(Array("{\"version\":\"\(attempt)\"}".utf8), ticket: ticket)
            #expect(answer.status == 422)
        }
        #expect(shop.sink.messages.count == RejectionLimit.perOrder)
        #expect(shop.metrics.expose().contains("token_ingest_rejections_not_published_total 5"))

        let other = try shop.mint(order: Shop.order(2)) { $0.amount = 1 }
        #expect(try await shop.pay(other.json, ticket: try shop.ticket(order: Shop.order(2))).status == 422)
        let right = try shop.mint(order: Shop.order())
        #expect(try await shop.pay(right.json, ticket: ticket).status == 202)
        #expect(shop.sink.messages.count == RejectionLimit.perOrder + 2)
    }

    @Test("is counted by order, in bounded memory")
    func limit() {
        let limit = RejectionLimit(capacity: 2)
        for _ in 0..<RejectionLimit.perOrder { #expect(limit.admits(Shop.order(1))) }
        #expect(!limit.admits(Shop.order(1)))
        #expect(limit.admits(Shop.order(2)))
        #expect(!limit.admits(Shop.order(1)))
        #expect(limit.admits(Shop.order(3)), "there is no room: all are forgotten")
        #expect(limit.admits(Shop.order(1)))
    }

    /// 422, and one published event that names the attempt and nothing of the token.
    private func check(_ answer: Answer, _ shop: Shop, stage: String, reason: String?) throws {
        #expect(answer.status == 422, "\(answer)")
        #expect(answer["stage"] == stage, "\(answer)")
        if let reason { #expect(answer["reason"] == reason) }
        #expect(answer["paymentId"] == nil)
        let message = try #require(shop.sink.messages.first)
        #expect(shop.sink.messages.count == 1)
        #expect(message.topic == "orchard.attempts.v1")
        let event = try CloudEvent(headers: message.headers.map { ($0.name, $0.value) }, value: message.value)
        #expect(event.type == "orchard.payment.rejected.v1")
        let fact = try PaymentRejected(parsing: event.data)
        #expect(fact.stage == stage)
        #expect(fact.reason == answer["reason"])
        #expect(shop.metrics.expose().contains("token_ingest_payments_rejected_total{stage=\"\(stage)\"} 1"))
    }
}
