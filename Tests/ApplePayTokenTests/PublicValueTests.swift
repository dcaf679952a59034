import ApplePayToken
import OrchardCrypto
import Testing

/// Callers can create what their own tests need without a token, through the public interface alone.
@Suite("Values for callers' tests")
struct PublicValueTests {
    @Test("a card is made of its parts")
    func card() {
        let card = DecryptedCard(
            primaryAccountNumber: SecretBytes(copying: "6212345678900000003".utf8), expirationDate: "311231",
            currencyCode: "156", transactionAmount: 1234,
            credential: .threeDSecure(ThreeDSecureCredential(cryptogram: SecretBytes(copying: "AAAA".utf8), eci: "5")))
        #expect(card.lastFour == "0003")
        #expect(card.credential.kind == .threeDSecure)
        let emv = DecryptedCard(
            primaryAccountNumber: SecretBytes(copying: "6212345678900000003".utf8), expirationDate: "311231",
            currencyCode: "156", transactionAmount: 1, cardholderName: SecretBytes(copying: "LI/LEI".utf8),
            credential: .emv(EMVCredential(data: SecretBytes(copying: "AAAA".utf8))))
        #expect(emv.credential.kind == .emv)
    }

    @Test("a refusal is made of its parts, with the facts that were read")
    func refusal() {
        let facts = TokenFacts(version: "EC_v1", signedAt: 1, transactionID: "00")
        let error = TokenError(.key, "the key service does not answer", isTemporary: true, facts: facts)
        #expect(error.isTemporary && error.facts.version == "EC_v1")
        #expect(ClaimedPaymentMethod(displayName: "Visa 0492", network: "Visa", type: "debit").type == "debit")
    }
}
