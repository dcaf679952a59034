import Contracts
import KafkaBridge
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import OrchardServiceKit
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("A payment that is accepted")
struct AcceptedPaymentTests {
    @Test("may hold a pending total: the token agrees to exactly the amount that is held")
    func pendingTotal() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), captureMode: .authorise, isTotalPending: true)
        let other = try shop.mint(order: Shop.order()) { $0.amount = 1_235 }
        let refused = try await shop.pay(other.json, ticket: ticket)
        #expect(refused.status == 422 && shop.sink.messages.count == 1, "\(refused)")
        let answer = try await shop.pay(try shop.mint(order: Shop.order()).json, ticket: ticket)
        #expect(answer.status == 202, "\(answer)")
        let message = try #require(shop.sink.messages.last)
        #expect(try ChargeRequested(parsing: message.value).ticket == ticket)
    }

    @Test(
        "is published as a command that the gateway can open, and answered 202",
        arguments: [
            (Wallet.Scheme.ec, Wallet.Content.threeDSecure), (.ec, .emv), (.rsa, .emv), (.rsa, .emvWithPIN),
        ])
    func accepted(_ scheme: Wallet.Scheme, _ content: Wallet.Content) async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let token = try shop.mint(order: Shop.order()) {
            $0.scheme = scheme
            $0.content = content
            $0.cardholderName = "Ada 王"
        }
        let answer = try await shop.pay(token.json, ticket: ticket)

        let payment = PaymentID(merchant: shop.merchants[0], transactionID: token.transactionID)
        #expect(answer.status == 202, "\(answer)")
        #expect(answer["paymentId"] == payment.description)
        #expect(answer["orderId"] == Shop.order().description)

        let message = try #require(shop.sink.messages.first)
        #expect(shop.sink.messages.count == 1)
        #expect(message.topic == "orchard.charges.v1")
        #expect(message.partition == Partitioner.partition(of: Shop.order(), among: 12))
        let event = try CloudEvent(headers: message.headers.map { ($0.name, $0.value) }, value: message.value)
        #expect(message.key == Array(Shop.order().description.utf8))
        #expect(event.type == "orchard.charge.requested.v1")
        #expect(event.source == "/token-ingest")
        let command = try ChargeRequested(parsing: event.data)
        #expect(command.payment == payment)
        #expect(command.ticket == ticket)
        #expect(command.signedAt == shop.now)
        #expect(command.card.network == .chinaUnionPay)
        #expect(command.card.lastFour == token.accountNumber.suffix(4))
        #expect(command.card.paymentData == (content == .threeDSecure ? .threeDSecure : .emv))

        let card = try CardData(
            encoded: JWE.open(
                command.sealedCard, keys: { $0 == "today" ? shop.sealingKey : nil }, apu: payment.bytes,
                apv: SHA256.hash(Array(ticket.utf8))))
        #expect(text(card, .accountNumber) == token.accountNumber)
        #expect(text(card, .cardholderName) == "Ada 王")
        let payload = try JSONValue(parsing: token.payload)
        #expect(text(card, .expirationDate) == payload["applicationExpirationDate"]?.string)
        let data = payload["paymentData"]
        #expect(text(card, .cryptogram) == data?["onlinePaymentCryptogram"]?.string)
        #expect(text(card, .eciIndicator) == data?["eciIndicator"]?.string)
        #expect(text(card, .emvData) == data?["emvData"]?.string)
        #expect(text(card, .encryptedPIN) == data?["encryptedPINData"]?.string?.lowercased())
    }

    @Test("leaves a line at debug only: charge-gateway tells its whole story at info, in one line")
    func log() async throws {
        let shop = try Shop()
        _ = try await shop.pay(
            try shop.mint(order: Shop.order()).json, ticket: try shop.ticket(order: Shop.order()))
        #expect(shop.log.text.hasPrefix("debug payment accepted") && !shop.log.text.contains("\n"))
    }

    private static func command(_ shop: Shop) throws -> ChargeRequested {
        let message = try #require(shop.sink.messages.first { $0.topic == "orchard.charges.v1" })
        return try ChargeRequested(parsing: message.value)
    }

    @Test("may be with the store's own card, which the merchant's ranges know, whatever network the device claims")
    func privateLabel() async throws {
        let shop = try Shop()
        let token = try shop.mint(order: Shop.order()) {
            $0.accountNumber = "6035740000000006"
            $0.network = .visa
        }
        let answer = try await shop.pay(
            token.json, ticket: try shop.ticket(order: Shop.order(), networks: [.privateLabel]))
        #expect(answer.status == 202, "\(answer)")
        let card = try Self.command(shop).card
        #expect(card.network == .privateLabel && card.lastFour == "0006")
    }

    @Test(
        "carries what the device calls the card, and never a card number that it puts there",
        arguments: [
            ("招商银行 ••1234", "招商银行 ••1234"), ("Visa 4111 1111 1111 1111", "Visa 1111"),
            ("4111111111111111", nil), ("\u{202E}Visa\u{7} 1234", "Visa 1234"),
        ])
    func displayName(_ claimed: String, _ carried: String?) async throws {
        let shop = try Shop()
        let token = try shop.mint(order: Shop.order()) { $0.displayName = claimed }
        let answer = try await shop.pay(token.json, ticket: try shop.ticket(order: Shop.order()))
        #expect(answer.status == 202, "\(answer)")
        #expect(try Self.command(shop).card.claimedDisplayName?.text == carried)
        #expect(shop.sink.messages.allSatisfy { !String(decoding: $0.value, as: UTF8.self).contains("4111") })
        #expect(!shop.log.text.contains("1111") && !shop.log.text.contains("1234"))
    }

    @Test("is the same payment on every worker")
    func everywhere() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let body = Array("{\"token\":".utf8) + (try shop.mint(order: Shop.order())).json + Array("}".utf8)
        let first = try await shop.send(body, ticket: ticket)
        shop.wait(.seconds(200))
        var other = shop.endpoint
        other.recent = RecentPayments()
        let second = try await shop.answer(to: body, ticket: ticket, by: other)
        #expect(first.status == 202 && first.text == second.text)
        let ids = shop.sink.messages.map { $0.headers.first { $0.name == "ce_id" }?.text }
        #expect(ids.count == 2)
        #expect(ids[0] == ids[1])
    }

    // Failure scenario 51.
    @Test("leaves no secret in the log, the metrics or on the topic")
    func secrets() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let token = try shop.mint(order: Shop.order()) {
            $0.scheme = .rsa
            $0.content = .emvWithPIN
        }
        #expect(try await shop.pay(token.json, ticket: ticket).status == 202)
        let seen = shop.log.text + shop.metrics.expose() + shop.sink.text
        for secret in token.secrets { #expect(!seen.contains(secret)) }
        #expect(!shop.log.text.contains(ticket))
    }

    @Test("is accepted when the authorised address is in the country of the price")
    func region() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), region: "CN")
        let answer = try await shop.pay(
            try shop.mint(order: Shop.order()).json, ticket: ticket,
            contact: #"{"givenName":"Ada","countryCode":"cn","addressLines":["1 Road"]}"#)
        #expect(answer.status == 202, "\(answer)")
    }

    @Test("works with either key of a merchant in a rotation")
    func rotation() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let answer = try await shop.pay(
            try shop.mint(order: Shop.order()) { $0.generation = 2 }.json, ticket: ticket)
        #expect(answer.status == 202, "\(answer)")
    }

    private func text(_ card: borrowing CardData, _ field: CardData.Field) -> String? {
        card.withField(field) { String(decoding: $0, as: UTF8.self) }
    }
}
