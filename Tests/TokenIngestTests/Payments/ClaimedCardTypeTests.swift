import Contracts
import KafkaBridge
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("The type of a card that the device claims, and nobody signed")
struct ClaimedCardTypeTests {
    /// A payment at the price for debit cards, with a card of no known range or of one for credit cards.
    struct Case: CustomTestStringConvertible, Sendable {
        let merchant: Int
        let isInRange: Bool
        let claim: String
        let reason: String?

        var testDescription: String {
            "\(merchant == 0 ? "not believed" : "believed"), \(isInRange ? "credit by its range" : "no range"), \(claim)"
        }
    }

    static let cases = [
        Case(merchant: 0, isInRange: false, claim: #""type":"debit""#, reason: "cardTypeUnknown"),
        Case(merchant: 1, isInRange: false, claim: #""type":"debit""#, reason: nil),
        Case(merchant: 1, isInRange: false, claim: #""type":"credit""#, reason: "cardTypeDiffers"),
        Case(merchant: 1, isInRange: false, claim: #""type":"gold""#, reason: "cardTypeUnknown"),
        Case(merchant: 1, isInRange: false, claim: #""type":7"#, reason: "cardTypeUnknown"),
        Case(merchant: 1, isInRange: true, claim: #""type":"debit""#, reason: "cardTypeDiffers"),
    ]

    @Test("counts only with trustClaimedCardType, and never against the merchant's own ranges", arguments: cases)
    func claimed(_ example: Case) async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), merchant: example.merchant, cardTypes: [.debit])
        let token = try shop.mint(order: Shop.order(), merchant: example.merchant) {
            $0.accountNumber = example.isInRange ? "6225880000000007" : "6212340000000000"
        }
        let claiming = String(decoding: token.json, as: UTF8.self).replacing(#""type":"debit""#, with: example.claim)
        let answer = try await shop.pay(Array(claiming.utf8), ticket: ticket)
        #expect(answer.status == (example.reason == nil ? 202 : 422), "\(answer)")
        #expect(answer["reason"] == example.reason)
        #expect(shop.sink.messages.contains { $0.topic == Topic.charges.name } == (example.reason == nil))
    }
}
