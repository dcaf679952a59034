import ApplePayToken
import OrchardCrypto
import SandboxPKI
import SandboxWallet
import Testing

/// One wallet for all tests, because generating RSA keys takes long, and the verifier of its tokens.
struct TestWallet: Sendable {
    static let merchant = "merchant.com.example.orchard"
    static let otherMerchant = "merchant.com.example.other"
    /// 2026-11-21 14:00:00 UTC: the tests' current time.
    static let now: Int64 = 1_795_269_600

    private static let shared = Result { try Wallet(merchants: [merchant, otherMerchant], at: now) }

    let wallet: Wallet
    let verifier: TokenVerifier

    init() throws {
        wallet = try Self.shared.get()
        verifier = TokenVerifier(trust: Trust(root: try X509Certificate(der: wallet.root.certificate.der)))
    }

    /// The keys of one merchant as its ring.
    func keys(_ merchant: String = merchant, generations: Set<Int> = [1, 2]) throws -> MerchantKeyRing {
        let row = try #require(wallet.merchants.first { $0.id == merchant })
        return MerchantKeyRing(
            try row.keys.filter { generations.contains($0.generation) }.map { key in
                try MerchantKey(
                    privateKeyPEM: key.identity.key.secretPEM(),
                    certificate: X509Certificate(der: key.identity.certificate.der))
            })
    }

    /// A request with the values that most tests need.
    func request(_ scheme: Wallet.Scheme = .ec, _ content: Wallet.Content = .threeDSecure) -> MintRequest {
        var request = MintRequest(merchant: Self.merchant, amount: 1234, signedAt: Self.now - 2)
        request.scheme = scheme
        request.content = content
        return request
    }

    /// Verifies and decrypts; returns the refusal, or nil for an accepted token.
    func refusal(
        _ token: [UInt8], keys: MerchantKeyRing? = nil, at time: Int64 = now
    ) async throws -> TokenError? {
        let keys = try keys ?? self.keys()
        do throws(TokenError) {
            _ = try await verifier.verify(token, at: time).decrypt(with: keys).transactionAmount
            return nil
        } catch { return error }
    }
}

extension SandboxPKI.PrivateKey {
    /// The key in PEM, in the form that the library accepts.
    func secretPEM() throws -> SecretBytes { SecretBytes(copying: try pem.utf8) }
}
