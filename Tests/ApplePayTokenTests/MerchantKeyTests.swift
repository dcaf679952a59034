import ApplePayToken
import OrchardCrypto
import SandboxPKI
import SandboxWallet
import Testing

@Suite("Merchant keys")
struct MerchantKeyTests {
    let bench: TestWallet

    init() throws {
        bench = try TestWallet()
    }

    private func key(_ merchant: String, _ scheme: Wallet.Scheme, generation: Int = 1) throws -> Identity {
        try bench.wallet.processing(merchant, scheme, generation: generation)
    }

    @Test("old and new keys open their tokens during a rotation", arguments: [1, 2], [Wallet.Scheme.ec, .rsa])
    func rotation(_ generation: Int, _ scheme: Wallet.Scheme) async throws {
        var request = bench.request(scheme)
        request.generation = generation
        let token = try bench.wallet.mint(request).json
        #expect(try await bench.refusal(token) == nil)
        #expect(try await bench.refusal(token, keys: bench.keys(generations: [3 - generation]))?.stage == .key)
    }

    @Test("one merchant's keys do not open another's token", arguments: [Wallet.Scheme.ec, .rsa])
    func otherMerchant(_ scheme: Wallet.Scheme) async throws {
        let token = try bench.wallet.mint(bench.request(scheme)).json
        #expect(try await bench.refusal(token, keys: bench.keys(TestWallet.otherMerchant))?.stage == .key)
        #expect(try await bench.refusal(token, keys: MerchantKeyRing([]))?.stage == .key)
    }

    @Test("the merchant identifier can replace the certificate, and must be the right one")
    func identifier() async throws {
        let token = try bench.wallet.mint(bench.request()).json
        let ours = try key(TestWallet.merchant, .ec).key
        let right = MerchantKeyRing([try MerchantKey(privateKeyPEM: ours.secretPEM(), merchantID: TestWallet.merchant)])
        #expect(try await bench.refusal(token, keys: right) == nil)
        let wrong = MerchantKeyRing([
            try MerchantKey(privateKeyPEM: ours.secretPEM(), merchantID: TestWallet.otherMerchant)
        ])
        #expect(try await bench.refusal(token, keys: wrong)?.stage == .decrypt)
    }

    @Test("a certificate must belong to the key and to a merchant")
    func certificates() throws {
        let (ours, other) = (try key(TestWallet.merchant, .ec), try key(TestWallet.otherMerchant, .ec))
        let certificate = try X509Certificate(der: ours.certificate.der)
        let fine = try MerchantKey(privateKeyPEM: ours.key.secretPEM(), certificate: certificate)
        #expect(fine.merchantIDHash == OrchardCrypto.SHA256.hash(TestWallet.merchant))
        #expect(fine.scheme == .ec)
        #expect(throws: CryptoError.self) {
            try MerchantKey(privateKeyPEM: other.key.secretPEM(), certificate: certificate)
        }
        let leaf = try #require(bench.wallet.leaves[.ec])
        #expect(throws: CryptoError.self) {
            try MerchantKey(
                privateKeyPEM: leaf.key.secretPEM(), certificate: X509Certificate(der: leaf.certificate.der))
        }
        #expect(throws: CryptoError.self) {
            try MerchantKey(privateKeyPEM: SecretBytes(copying: "no key".utf8), merchantID: "merchant.com.example")
        }
        #expect(throws: CryptoError.self) { try MerchantKey(privateKeyPEM: ours.key.secretPEM(), merchantID: "") }
    }

    @Test("a key that is stored elsewhere opens the same tokens", arguments: [Wallet.Scheme.ec, .rsa])
    func elsewhere(_ scheme: Wallet.Scheme) async throws {
        let identity = try key(TestWallet.merchant, scheme)
        let keeper = try KeyKeeper(identity.key.secretPEM(), scheme)
        let kept = try MerchantKey(keeper, certificate: X509Certificate(der: identity.certificate.der))
        let token = try bench.wallet.mint(bench.request(scheme)).json
        #expect(try await bench.refusal(token, keys: MerchantKeyRing([kept])) == nil)
        #expect(await keeper.calls == 1)

        await keeper.fail(.unavailable)
        let later = try #require(try await bench.refusal(token, keys: MerchantKeyRing([kept])))
        #expect(later.stage == .key && later.isTemporary, "the token may be valid: it must be tried again")
        #expect(later.reason.contains("does not answer"))
        await keeper.fail(.refused)
        let never = try #require(try await bench.refusal(token, keys: MerchantKeyRing([kept])))
        #expect(never.stage == .key && !never.isTemporary)
    }

    @Test("the answer of an external key holder is checked", arguments: [0, 16, 31, 33])
    func wrongAnswers(_ count: Int) async throws {
        let identity = try key(TestWallet.merchant, .ec)
        let kept = try MerchantKey(
            ShortKeeper(count: count), certificate: X509Certificate(der: identity.certificate.der))
        let token = try bench.wallet.mint(bench.request()).json
        #expect(try await bench.refusal(token, keys: MerchantKeyRing([kept]))?.stage == .key)
    }

    @Test("a certificate that names two merchants is refused")
    func twoNames() throws {
        var template = CertificateTemplate(commonName: "two", validity: 0...2_000_000_000)
        template.userID = TestWallet.merchant
        let hash = Hex.encode(OrchardCrypto.SHA256.hash(TestWallet.otherMerchant))
        template.extensions = [(Wallet.merchantMarker, [0x0C, 0x40] + Array(hash.utf8))]
        let identity = try Identity.issue(template, key: PrivateKey(.p256), by: bench.wallet.relations)
        #expect(throws: CryptoError.self) {
            try MerchantKey(
                privateKeyPEM: identity.key.secretPEM(), certificate: X509Certificate(der: identity.certificate.der))
        }
    }
}

/// Replaces an HSM: does the operations outside the library, and can be unavailable.
private actor KeyKeeper: MerchantKeyOperations {
    private let ec: P256PrivateKey?
    private let rsa: RSAPrivateKey?
    private var failure: MerchantKeyError.Code?
    private(set) var calls = 0

    init(_ pem: borrowing SecretBytes, _ scheme: Wallet.Scheme) throws {
        switch scheme {
        case .ec: (ec, rsa) = (try P256PrivateKey(pem: pem), nil)
        case .rsa: (ec, rsa) = (nil, try RSAPrivateKey(pem: pem))
        }
    }

    func fail(_ code: MerchantKeyError.Code) { failure = code }

    func agree(with peer: P256PublicKey) async throws(MerchantKeyError) -> SecretBytes {
        try count()
        guard let ec else { throw MerchantKeyError(.refused, "no EC key") }
        do throws(CryptoError) { return try ec.sharedSecret(with: peer) } catch {
            throw MerchantKeyError(.refused, error.reason)
        }
    }

    func unwrap(_ wrappedKey: [UInt8]) async throws(MerchantKeyError) -> SecretBytes {
        try count()
        guard let rsa else { throw MerchantKeyError(.refused, "no RSA key") }
        do throws(CryptoError) { return try rsa.decryptOAEPSHA256(wrappedKey) } catch {
            throw MerchantKeyError(.refused, error.reason)
        }
    }

    private func count() throws(MerchantKeyError) {
        calls += 1
        if let failure { throw MerchantKeyError(failure, "the key service does not answer") }
    }
}

/// Answers every request with that many bytes.
private struct ShortKeeper: MerchantKeyOperations {
    let count: Int

    func agree(with peer: P256PublicKey) async throws(MerchantKeyError) -> SecretBytes { SecretBytes(count: count) }
    func unwrap(_ wrappedKey: [UInt8]) async throws(MerchantKeyError) -> SecretBytes { SecretBytes(count: count) }
}
