import OrchardCrypto
import SandboxPKI
import SandboxWallet
import Testing

@testable import ApplePayToken

@Suite("Certificate chains")
struct ChainTests {
    let bench: TestWallet
    let chains: ChainVerifier

    init() throws {
        bench = try TestWallet()
        chains = ChainVerifier(trust: Trust(root: try X509Certificate(der: bench.wallet.root.certificate.der)))
    }

    private func verify(_ certificates: [[UInt8]], at time: Int64 = TestWallet.now) throws(InvalidToken)
        -> VerifiedChain
    {
        var name: String?
        return try chains.verify(certificates, at: time, leafName: &name)
    }

    private func leaf(days: ClosedRange<Int64> = -100...100) throws -> Identity {
        var template = CertificateTemplate(
            commonName: "leaf",
            validity: (TestWallet.now + days.lowerBound * 86_400)...(TestWallet.now + days.upperBound * 86_400))
        template.usage = [.digitalSignature]
        template.extensions = [(Wallet.leafMarker, [5, 0])]
        return try Identity.issue(template, key: PrivateKey(.p256), by: bench.wallet.intermediate)
    }

    @Test("a chain is remembered once it was valid, in the order received")
    func remembering() throws {
        let (leaf, intermediate) = (try leaf().certificate.der, bench.wallet.intermediate.certificate.der)
        for _ in 0..<3 { _ = try verify([leaf, intermediate]) }
        #expect(chains.knownCount == 1)
        #expect(try verify([intermediate, leaf]).leafName == "leaf")
        #expect(chains.knownCount == 2)
    }

    @Test("a wrong chain is not remembered")
    func refusing() throws {
        let (leaf, intermediate) = (try leaf().certificate.der, bench.wallet.intermediate.certificate.der)
        var forged = leaf
        forged[forged.count - 1] ^= 1
        for certificates in [
            [forged, intermediate], [leaf, leaf], [leaf], [intermediate], [], [leaf, intermediate, leaf],
        ] {
            #expect(throws: InvalidToken.self) { try verify(certificates) }
        }
        #expect(chains.knownCount == 0)
    }

    @Test(
        "the validity of a known chain is checked at each use",
        arguments: [(-101, false), (-100, true), (100, true), (101, false)])
    func validity(_ day: Int64, _ isRight: Bool) throws {
        let certificates = [try leaf().certificate.der, bench.wallet.intermediate.certificate.der]
        _ = try verify(certificates)
        #expect(chains.knownCount == 1)
        #expect(((try? verify(certificates, at: TestWallet.now + day * 86_400)) != nil) == isRight)
    }

    @Test("no more than sixteen chains are remembered, the latest ones")
    func bound() throws {
        for _ in 0..<(ChainVerifier.capacity + 3) {
            _ = try verify([leaf().certificate.der, bench.wallet.intermediate.certificate.der])
        }
        #expect(chains.knownCount == ChainVerifier.capacity)
    }

    @Test("the root's validity counts too", arguments: [(50, true), (51, false)] as [(Int64, Bool)])
    func rootValidity(_ day: Int64, _ isRight: Bool) throws {
        func authority(_ name: String, _ days: Int64, by issuer: Identity?, _ extensions: [String]) throws -> Identity {
            var template = CertificateTemplate(
                commonName: name,
                validity: (TestWallet.now - days * 86_400)...(TestWallet.now + days * 86_400))
            template.isAuthority = true
            template.usage = [.certificateSigning]
            template.extensions = extensions.map { ($0, [5, 0]) }
            return try Identity.issue(template, key: PrivateKey(.p256), by: issuer)
        }
        let root = try authority("root", 50, by: nil, [])
        let intermediate = try authority("intermediate", 100, by: root, [Wallet.intermediateMarker])
        var template = CertificateTemplate(
            commonName: "leaf", validity: (TestWallet.now - 1)...(TestWallet.now + 100 * 86_400))
        template.usage = [.digitalSignature]
        template.extensions = [(Wallet.leafMarker, [5, 0])]
        let leaf = try Identity.issue(template, key: PrivateKey(.p256), by: intermediate)
        let chains = ChainVerifier(trust: Trust(root: try X509Certificate(der: root.certificate.der)))
        var name: String?
        let certificates = [leaf.certificate.der, intermediate.certificate.der]
        _ = try chains.verify(certificates, at: TestWallet.now, leafName: &name)
        let isAccepted = (try? chains.verify(certificates, at: TestWallet.now + day * 86_400, leafName: &name)) != nil
        #expect(isAccepted == isRight)
    }

    @Test("Apple's root is the one Apple publishes")
    func appleRoot() {
        let root = Trust.apple.root
        #expect(root.subjectCommonName == "Apple Root CA - G3")
        #expect(
            Hex.encode(OrchardCrypto.SHA256.hash(root.der))
                == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        #expect(root.isSigned(by: root))
    }

    @Test("a token of a test wallet is refused under Apple's root")
    func foreignRoot() throws {
        let token = try bench.wallet.mint(bench.request()).json
        let error = try #require(throws: TokenError.self) { try TokenVerifier().verify(token, at: TestWallet.now) }
        #expect(error.stage == .chain)
        #expect(error.facts.leaf == "ecc-smp-broker-sign_UC4-SANDBOX")
    }
}
