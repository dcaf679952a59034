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

    @Test("old and new keys open their tokens side by side", arguments: [1, 2], [Wallet.Scheme.ec, .rsa])
    func rotation(_ generation: Int, _ scheme: Wallet.Scheme) throws {
        var request = bench.request(scheme)
        request.generation = generation
        let token = try bench.wallet.mint(request).json
        #expect(try bench.refusal(token) == nil)
        #expect(try bench.refusal(token, keys: bench.keys(generations: [3 - generation]))?.stage == .key)
    }

    @Test("one merchant's keys do not open another's token", arguments: [Wallet.Scheme.ec, .rsa])
    func otherMerchant(_ scheme: Wallet.Scheme) throws {
        let token = try bench.wallet.mint(bench.request(scheme)).json
        #expect(try bench.refusal(token, keys: bench.keys(TestWallet.otherMerchant))?.stage == .key)
        #expect(try bench.refusal(token, keys: MerchantKeyRing([]))?.stage == .key)
    }

    @Test("the merchant identifier stands in for the certificate, and must be the right one")
    func identifier() throws {
        let token = try bench.wallet.mint(bench.request()).json
        let pem = try key(TestWallet.merchant, .ec).key.pem
        let right = MerchantKeyRing([try MerchantKey(privateKeyPEM: pem, merchantID: TestWallet.merchant)])
        #expect(try bench.refusal(token, keys: right) == nil)
        let wrong = MerchantKeyRing([try MerchantKey(privateKeyPEM: pem, merchantID: TestWallet.otherMerchant)])
        #expect(try bench.refusal(token, keys: wrong)?.stage == .decrypt)
    }

    @Test("a certificate must be the key's and a merchant's")
    func certificates() throws {
        let (ours, other) = (try key(TestWallet.merchant, .ec), try key(TestWallet.otherMerchant, .ec))
        let certificate = try X509Certificate(der: ours.certificate.der)
        let fine = try MerchantKey(privateKeyPEM: ours.key.pem, certificate: certificate)
        #expect(fine.merchantIDHash == OrchardCrypto.SHA256.hash(TestWallet.merchant))
        #expect(fine.scheme == .ec)
        #expect(throws: CryptoError.self) { try MerchantKey(privateKeyPEM: other.key.pem, certificate: certificate) }
        let leaf = try #require(bench.wallet.leaves[.ec])
        #expect(throws: CryptoError.self) {
            try MerchantKey(privateKeyPEM: leaf.key.pem, certificate: X509Certificate(der: leaf.certificate.der))
        }
        #expect(throws: CryptoError.self) {
            try MerchantKey(privateKeyPEM: "no key", merchantID: "merchant.com.example")
        }
        #expect(throws: CryptoError.self) { try MerchantKey(privateKeyPEM: ours.key.pem, merchantID: "") }
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
                privateKeyPEM: identity.key.pem, certificate: X509Certificate(der: identity.certificate.der))
        }
    }
}
