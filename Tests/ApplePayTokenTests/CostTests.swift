import ApplePayToken
import OrchardCrypto
import SandboxWallet
import TestSupport
import Testing

/// Nothing that comes from outside keeps the verifier busy for long.
@Suite("The cost of bad tokens", .serialized)
struct CostTests {
    /// Times of a good token that a bad one may cost.
    static let bound = 20.0

    @Test("no body up to 64 KB costs more than 20 good tokens")
    func bound() throws {
        let bench = try TestWallet()
        let good = try goodCost(bench)
        for (name, token) in try CostlyTokens(bench: bench).all() {
            #expect(token.count <= TokenVerifier.maximumSize, "\(name) is a body that comes in")
            var isAccepted = false
            let cost = ThreadClock.cost(runs: 3, bound: Self.bound * good) {
                isAccepted = (try? bench.verifier.verify(token, at: TestWallet.now)) != nil
            }
            #expect(!isAccepted, "\(name)")
            #expect(cost <= Self.bound * good, "\(name) costs \(Int(cost / good)) good tokens")
        }
    }

    /// The processor time of a good token's verification and of the one agreement that opens it.
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
}
