import OrchardCrypto
import Testing

@Suite("X.509")
struct X509Tests {
    /// 2025-01-01, within the validity of every certificate that is not made to be invalid then.
    static let time: Int64 = 1_735_689_600

    @Test("a certificate is read into values")
    func reading() throws {
        let leaf = try X509Certificate(pem: ChainFixture.leaf)
        #expect(leaf.subjectCommonName == "041@8310000000083040@测试商户@00000001")
        #expect(leaf.subjectUserID == "merchant.com.example")
        #expect(leaf.serialNumberDecimal == "1442304682740643783150283421874")
        #expect(leaf.notBefore == 1_640_995_200)
        #expect(leaf.notAfter == 1_798_761_600)
        #expect(!leaf.isCA)
        #expect(leaf.keyUsage == .digitalSignature)
        #expect(leaf.extensionValue(oid: "1.2.840.113635.100.6.29") == [0x05, 0x00])
        #expect(leaf.extensionValue(oid: "1.2.840.113635.100.6.32") == nil)
        guard case .rsa(let key) = leaf.publicKey else { throw CryptoError(.key, "an RSA key is expected") }
        #expect(
            key.verifyPKCS1SHA256(
                signature: try #require(Base64.decode(RSAFixture.signature)), message: Array("orchard".utf8)))
        #expect(try X509Certificate(pem: leaf.pem).der == leaf.der)

        let intermediate = try X509Certificate(pem: ChainFixture.intermediate)
        #expect(intermediate.isCA)
        #expect(intermediate.keyUsage == .keyCertSign)
        #expect(leaf.issuerDER == intermediate.subjectDER)
        guard case .p256 = intermediate.publicKey else { throw CryptoError(.key, "a P-256 key is expected") }
        guard case .other = try X509Certificate(pem: ChainFixture.root).publicKey else {
            throw CryptoError(.key, "a P-384 key is of no kind that Orchard uses")
        }
    }

    @Test("one signature")
    func signatures() throws {
        let root = try X509Certificate(pem: ChainFixture.root)
        let intermediate = try X509Certificate(pem: ChainFixture.intermediate)
        let leaf = try X509Certificate(pem: ChainFixture.leaf)
        #expect(leaf.isSigned(by: intermediate))
        #expect(intermediate.isSigned(by: root))
        #expect(root.isSigned(by: root))
        #expect(!leaf.isSigned(by: root))
        #expect(!intermediate.isSigned(by: try X509Certificate(pem: ChainFixture.fakeRoot)))
        #expect(!(try X509Certificate(pem: ChainFixture.forged)).isSigned(by: intermediate))
    }

    @Test(
        "a chain is accepted up to its pinned root while all of it is valid",
        arguments: [
            ("leaf", ChainFixture.leaf, 1_735_689_600, true), ("EC leaf", ChainFixture.ecLeaf, 1_735_689_600, true),
            ("first second", ChainFixture.leaf, 1_640_995_200, true),
            ("a second before", ChainFixture.leaf, 1_640_995_199, false),
            ("a second after", ChainFixture.leaf, 1_798_761_601, false),
            ("intermediate expired", ChainFixture.ecLeaf, 2_114_380_800, false),
            ("forged", ChainFixture.forged, 1_735_689_600, false),
            ("critical extension", ChainFixture.criticalExtension, 1_735_689_600, false),
        ] as [(String, String, Int64, Bool)])
    func validity(_ name: String, _ leaf: String, _ time: Int64, _ isRight: Bool) throws {
        #expect(try accepts(leaf, [ChainFixture.intermediate], ChainFixture.root, at: time) == isRight)
    }

    @Test(
        "a chain with a wrong link is refused",
        arguments: [
            ("no intermediate", [], ChainFixture.root),
            ("other root of the same name", [ChainFixture.intermediate], ChainFixture.fakeRoot),
            ("intermediate is no CA", [ChainFixture.notCA], ChainFixture.root),
            ("intermediate may not sign", [ChainFixture.withoutCertSign], ChainFixture.root),
            ("the leaf itself", [ChainFixture.leaf], ChainFixture.root),
        ])
    func links(_ name: String, _ intermediates: [String], _ root: String) throws {
        #expect(try !accepts(ChainFixture.ecLeaf, intermediates, root, at: Self.time))
    }

    @Test("a root among the intermediates is not trusted because of its place")
    func includedRoot() throws {
        let fakeRoot = try X509Certificate(pem: ChainFixture.fakeRoot)
        let error = try #require(throws: CryptoError.self) {
            try CertificateChain(root: X509Certificate(pem: ChainFixture.root))
                .verify(fakeRoot, intermediates: [fakeRoot], at: Self.time)
        }
        #expect(error.code == .chain)
    }

    @Test("a PEM text may hold any number of certificates")
    func texts() throws {
        let text = "bag attributes\n\(ChainFixture.leaf)\n\(RSAFixture.key)\n\(ChainFixture.intermediate)\n"
        #expect(try X509Certificate.all(inPEM: text).map(\.isCA) == [false, true])
        #expect(try X509Certificate.all(inPEM: "").isEmpty)
        #expect(throws: CryptoError.self) { try X509Certificate(pem: "nothing") }
        #expect(throws: CryptoError.self) {
            try X509Certificate.all(
                inPEM: ChainFixture.leaf + "\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        }
    }

    @Test("DER has exactly the certificate's bytes")
    func der() throws {
        let der = try X509Certificate(pem: ChainFixture.leaf).der
        #expect(try X509Certificate(der: der).der == der)
        #expect(try X509Certificate(file: der).der == der)
        #expect(try X509Certificate(file: Array(ChainFixture.leaf.utf8)).der == der)
        for bad in [der + [0], Array(der.dropLast()), [], [0x30, 0x00]] {
            let error = try #require(throws: CryptoError.self) { try X509Certificate(der: bad) }
            #expect(error.code == .certificate)
        }
    }

    private func accepts(_ leaf: String, _ intermediates: [String], _ root: String, at time: Int64) throws -> Bool {
        let chain = CertificateChain(root: try X509Certificate(pem: root))
        do throws(CryptoError) {
            try chain.verify(
                X509Certificate(pem: leaf),
                intermediates: X509Certificate.all(inPEM: intermediates.joined(separator: "\n")),
                at: time)
            return true
        } catch {
            guard error.code == .chain else { throw error }
            return false
        }
    }
}
