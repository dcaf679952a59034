import ApplePayToken
import Foundation
import OrchardCrypto
import OrchardJSON
import TestSupport
import Testing

/// Tokens that Apple's sandbox issued, under Apple's own root.
@Suite("Real tokens", .enabled(if: Oracles.hasTokens, "\(Oracles.absence)"))
struct RealTokenTests {
    struct Fixture: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let signedAt: Int64
    }

    static let fixtures = [
        Fixture(testDescription: "applepay-sandbox-2018", signedAt: 1_516_974_918),
        Fixture(testDescription: "applepay-sandbox-2019", signedAt: 1_559_896_755),
    ]

    private func read(_ fixture: Fixture, _ name: String) throws -> String {
        let folder = Oracles.tokens.appending(path: fixture.testDescription)
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private func key(_ fixture: Fixture) throws -> MerchantKey {
        if let certificate = try? read(fixture, "cert.pem") {
            try MerchantKey(
                privateKeyPEM: SecretBytes(copying: read(fixture, "key.pem").utf8),
                certificate: X509Certificate(pem: certificate))
        } else {
            try MerchantKey(
                privateKeyPEM: SecretBytes(copying: read(fixture, "key.pem").utf8),
                merchantID: read(fixture, "merchant_id.txt").trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    @Test("are accepted at their signing time, with their payload", arguments: fixtures)
    func accepted(_ fixture: Fixture) async throws {
        let token = Array(try read(fixture, "token.json").utf8)
        let verified = try TokenVerifier().verify(token, at: fixture.signedAt)
        #expect(verified.signedAt == fixture.signedAt)
        #expect(verified.facts.leaf == "ecc-smp-broker-sign_UC4-SANDBOX")
        let expected = try JSONValue(parsing: Array(read(fixture, "expected.json").utf8))
        let card = try await verified.decrypt(with: MerchantKeyRing([key(fixture)]))
        #expect(sorted(card.json(revealing: true)) == sorted(expected))

        let late = try #require(throws: TokenError.self) {
            try TokenVerifier().verify(token, at: fixture.signedAt + 301)
        }
        #expect(late.stage == .time)
        #expect(late.facts.signedAt == fixture.signedAt)
    }

    @Test("cannot be changed by one bit so that something else is charged", arguments: fixtures)
    func flipped(_ fixture: Fixture) async throws {
        let token = Array(try read(fixture, "token.json").utf8)
        let keys = MerchantKeyRing([try key(fixture)])
        let verifier = TokenVerifier()
        let right = try verifier.verify(token, at: fixture.signedAt)
        let payload = try await right.decrypt(with: keys).json(revealing: true)
        var stages: [TokenStage: Int] = [:]
        for index in token.indices {
            // Tests that wait for their servers share the threads.
            await Task.yield()
            var changed = token
            changed[index] ^= 1 << UInt8(index % 7)
            do throws(TokenError) {
                let verified = try verifier.verify(changed, at: fixture.signedAt)
                let card = try await verified.decrypt(with: keys)
                #expect(card.json(revealing: true) == payload, "byte \(index)")
                #expect(verified.transactionID == right.transactionID, "byte \(index)")
                #expect(verified.applicationData == right.applicationData, "byte \(index)")
                #expect(verified.signedAt == right.signedAt, "byte \(index)")
            } catch {
                stages[error.stage, default: 0] += 1
            }
        }
        for stage in [TokenStage.parse, .version, .chain, .signature, .key] {
            #expect(stages[stage, default: 0] > 0, "no bit of the token meets stage \(stage.rawValue)")
        }
    }
}
