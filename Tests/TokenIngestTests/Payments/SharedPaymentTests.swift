import Contracts
import KafkaBridge
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("A token for several merchants, or of a merchant token")
struct SharedPaymentTests {
    private static let hash = String(repeating: "0a", count: 32)
    private static let members = """
        "authenticationResponses":[
          {"merchantIdentifier":"\(hash)","authenticationData":"AAAIAKnglVRsCyOvcgI=","transactionAmount":"234"},
          {"transactionAmount":"1000","authenticationData":"AAAIANBEqODkDcrDTgI=","merchantIdentifier":"fee","new":1}],
        "merchantTokenIdentifier":"MTI-4711",
        "merchantTokenMetadata":{"cardMetadata":{"fpanSuffix":"98-76","new":true},"cardArt":[{"name":"art","url":"u"}],"x":1},
        """

    @Test("is carried to the gateway sealed, and nothing else shows it")
    func carried() async throws {
        let shop = try Shop()
        var request = MintRequest(merchant: Shop.identifiers[0], amount: 1_234, signedAt: shop.now.seconds)
        request.applicationData = Array(Shop.order().description.utf8)
        var tampering = Tampering()
        tampering.payload = { payload in
            payload = Array("{\(Self.members)".utf8) + payload.dropFirst()
        }
        let ticket = try shop.ticket(order: Shop.order())
        let answer = try await shop.pay(shop.wallet.mint(request, tampering: tampering).json, ticket: ticket)
        #expect(answer.status == 202, "\(answer)")

        let message = try #require(shop.sink.messages.first)
        let event = try CloudEvent(headers: message.headers.map { ($0.name, $0.value) }, value: message.value)
        let command = try ChargeRequested(parsing: event.data)
        let card = try CardData(
            encoded: JWE.open(
                command.sealedCard, keys: { $0 == "today" ? shop.sealingKey : nil }, apu: command.payment.bytes,
                apv: SHA256.hash(Array(ticket.utf8))))
        let shares = card.withShares { shares in
            shares.map {
                "\($0.merchantIdentifier) \($0.amount) \(String(decoding: $0.authenticationData, as: UTF8.self))"
            }
        }
        #expect(shares == ["\(Self.hash) 234 AAAIAKnglVRsCyOvcgI=", "fee 1000 AAAIANBEqODkDcrDTgI="])
        #expect(card.withField(.merchantTokenIdentifier) { String(decoding: $0, as: UTF8.self) } == "MTI-4711")
        #expect(
            card.withField(.merchantTokenMetadata) { String(decoding: $0, as: UTF8.self) }
                == #"{"cardArt":[{"name":"art","url":"u"}],"cardMetadata":{"fpanSuffix":"98-76"}}"#)

        let seen = shop.log.text + String(decoding: message.value, as: UTF8.self) + shop.metrics.expose() + "\(answer)"
        for secret in [Self.hash, "AAAIAKnglVRsCyOvcgI", "MTI-4711", "98-76", "fpanSuffix"] {
            #expect(!seen.contains(secret), "\(secret)")
        }
    }
}
