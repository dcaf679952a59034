import ApplePayToken
import OrchardCrypto
import OrchardJSON
import SandboxWallet
import TestSupport
import Testing

/// No outside input keeps the verifier busy for long.
///
/// The tests run without optimisation. This slows down the reading of text but not OpenSSL: where elliptic curves are
/// fast, valid tokens are no measure for text. So a body may also cost as much as reading an ordinary text of its size.
@Suite("The cost of bad tokens", .serialized)
struct CostTests {
    /// How many times a valid token's cost a bad one may cost.
    static let bound = 20.0

    @Test("no body up to 64 KB costs more than 20 good tokens")
    func bound() throws {
        let bench = try TestWallet()
        let good = try goodCost(bench)
        let bound = try Self.bound * good + textCost()
        for (name, token) in try CostlyTokens(bench: bench).all() {
            #expect(token.count <= TokenVerifier.maximumSize, "\(name) is a body that comes in")
            var isAccepted = false
            let cost = ThreadClock.cost(runs: 3, bound: bound) {
                isAccepted = (try? bench.verifier.verify(token, at: TestWallet.now)) != nil
            }
            #expect(!isAccepted, "\(name)")
            #expect(cost <= bound, "\(name) costs \(Int(cost / good)) good tokens")
        }
    }

    /// The processor time of verifying a valid token and of the one key agreement that opens it.
    private func goodCost(_ bench: TestWallet) throws -> Double {
        let token = try bench.wallet.mint(bench.request()).json
        let key = try OrchardCrypto.P256PrivateKey.generate()
        let peer = try OrchardCrypto.P256PrivateKey.generate().publicKey.subjectPublicKeyInfo
        _ = try bench.verifier.verify(token, at: TestWallet.now)
        return ThreadClock.cost(runs: 20) {
            _ = try? bench.verifier.verify(token, at: TestWallet.now)
            _ = try? key.sharedSecret(with: P256PublicKey(subjectPublicKeyInfo: peer)).count
        }
    }

    /// The processor time of reading an ordinary JSON text of the maximum size.
    private func textCost() throws -> Double {
        let object = #"{"label":"Tea","amount":"12.50","count":2,"isFinal":true,"note":null}"#
        let copies = Array(repeating: object, count: TokenVerifier.maximumSize / (object.utf8.count + 1))
        let text = Array("[\(copies.joined(separator: ","))]".utf8)
        _ = try JSONValue(parsing: text)
        return ThreadClock.cost(runs: 5) { _ = try? JSONValue(parsing: text) }
    }
}
