import ApplePayToken
import Crypto
import Foundation
import JSON
import Testing

/// Tokens that Apple's sandbox issued, under Apple's own root.
@Suite("Real tokens", .enabled(if: Oracle.hasRealTokens, "the real tokens are not beside the project"))
struct RealTokenTests {
    struct Fixture: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let signedAt: Int64
    }

    @Test(
        "are accepted at their signing time, with their payload",
        arguments: [
            Fixture(testDescription: "applepay-sandbox-2018", signedAt: 1_516_974_918),
            Fixture(testDescription: "applepay-sandbox-2019", signedAt: 1_559_896_755),
        ])
    func accepted(_ fixture: Fixture) throws {
        let folder = Oracle.shared.appending(path: "fixtures/\(fixture.testDescription)")
        func read(_ name: String) throws -> String {
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        let token = Array(try read("token.json").utf8)
        let key =
            if let certificate = try? read("cert.pem") {
                try MerchantKey(privateKeyPEM: read("key.pem"), certificate: X509Certificate(pem: certificate))
            } else {
                try MerchantKey(
                    privateKeyPEM: read("key.pem"),
                    merchantID: read("merchant_id.txt").trimmingCharacters(in: .whitespacesAndNewlines))
            }
        let verified = try TokenVerifier().verify(token, at: fixture.signedAt)
        #expect(verified.signedAt == fixture.signedAt)
        #expect(verified.facts.leaf == "ecc-smp-broker-sign_UC4-SANDBOX")
        let expected = try JSONValue(parsing: Array(read("expected.json").utf8))
        let card = try verified.decrypt(with: MerchantKeyRing([key]))
        #expect(sorted(card.json(revealing: true)) == sorted(expected))

        let late = try #require(throws: TokenError.self) {
            try TokenVerifier().verify(token, at: fixture.signedAt + 301)
        }
        #expect(late.stage == .time)
        #expect(late.facts.signedAt == fixture.signedAt)
    }
}
