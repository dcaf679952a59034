import SandboxPKI
import Testing

@testable import OrchardCrypto

/// Certificates that OpenSSL would read at any cost, and that must never reach it.
@Suite("The form of a certificate")
struct CertificateFormTests {
    private static let sharedKey = Result { try PrivateKey(.p256) }
    private static let rsaKey = Result { try PrivateKey(.rsa2048) }

    private let key: PrivateKey

    init() throws {
        key = try Self.sharedKey.get()
    }

    private func certificate(
        over info: [UInt8]? = nil, digest: SandboxPKI.Digest = .sha256,
        _ change: (inout CertificateTemplate) -> Void = { _ in }
    ) throws -> [UInt8] {
        var template = CertificateTemplate(commonName: "leaf", validity: 0...4_000_000_000)
        change(&template)
        return try template.certificate(
            over: info ?? key.publicKey.subjectPublicKeyInfo, signedBy: key, issuer: DER.sequence(), digest: digest)
    }

    @Test("plain keys are read: P-256, P-384, RSA of 2048 bits")
    func plain() throws {
        for (kind, form) in [(PrivateKey.Kind.p256, PublicKeyForm.p256), (.p384, .p384), (.rsa2048, .rsa)] {
            let der = try certificate(over: PrivateKey(kind).publicKey.subjectPublicKeyInfo)
            #expect(try CertificateForm(der).publicKey == form)
            #expect(try X509Certificate(der: der).der == der)
        }
    }

    /// Keys by their unusual property.
    static let unusualKeys: [(String, [UInt8])] = {
        let plain = (try? sharedKey.get().publicKey.subjectPublicKeyInfo) ?? []
        let rsa = (try? rsaKey.get().publicKey.subjectPublicKeyInfo) ?? []
        let (head, point) = (Array(plain.prefix(23)), Array(plain.dropFirst(26)))
        let curve = DER.sequence(
            DER.objectIdentifier("1.2.840.10045.2.1"), DER.objectIdentifier("1.2.840.10045.3.1.7"))
        return [
            ("explicit parameters, compressed points", CostlyKey.explicitParameters),
            ("explicit parameters of P-256", CostlyKey.explicitP256(point: point)),
            ("a compressed point", DER.sequence(curve, DER.bitString([2 + point[64] % 2] + point[1..<33]))),
            ("a hybrid point", head + [0x03, 0x42, 0x00] + [6 + point[64] % 2] + point.dropFirst()),
            ("a point with a byte after it", DER.sequence(curve, DER.bitString(point + [0]))),
            (
                "another named curve",
                DER.sequence(
                    DER.sequence(
                        DER.objectIdentifier("1.2.840.10045.2.1"), DER.objectIdentifier("1.3.132.0.35")),
                    DER.bitString([4] + [UInt8](repeating: 1, count: 132)))
            ),
            ("an RSA key with a huge exponent", CostlyKey.hugeExponent),
            ("an RSA key of 16384 bits", CostlyKey.hugeModulus),
            ("an RSA key for PSS alone", rsa.replacing("2a864886f70d010101", with: "2a864886f70d01010a")),
            ("an RSA key with e = 3", rsa.replacing("0203010001", with: "0203000003")),
            ("an RSA key without NULL", rsa.replacing("2a864886f70d0101010500", with: "2a864886f70d0101010400")),
            ("an even modulus", rsa.evenModulus),
            ("Ed25519", DER.sequence(DER.sequence(DER.objectIdentifier("1.3.101.112")), DER.bitString(Array(1...32)))),
            ("nothing", []), ("an empty structure", DER.sequence()),
        ]
    }()

    @Test("other keys are refused before OpenSSL reads them", arguments: unusualKeys.indices)
    func unusual(_ index: Int) throws {
        let (name, info) = Self.unusualKeys[index]
        #expect(PublicKeyForm(subjectPublicKeyInfo: info[...]) == nil, "\(name)")
        let der = try certificate(over: info)
        let error = try #require(throws: CryptoError.self, "\(name)") { try X509Certificate(der: der) }
        #expect(error.code == .certificate, "\(name): \(error)")
        #expect(error.reason.contains(info.isEmpty ? "DER" : "key"), "\(name): \(error)")
        #expect(throws: CryptoError.self, "\(name)") { try RSAPublicKey(subjectPublicKeyInfo: info) }
        #expect(throws: CryptoError.self, "\(name)") { try P256PublicKey(subjectPublicKeyInfo: info) }
    }

    @Test("sizes and counts are bounded")
    func bounds() throws {
        func reason(_ change: (inout CertificateTemplate) -> Void) throws -> String {
            let der = try certificate(change)
            return try #require(throws: CryptoError.self) { try X509Certificate(der: der) }.reason
        }
        #expect(try reason { $0.serialBits = 8 * 2_000 }.contains("serial number"))
        #expect(try reason { $0.commonName = String(repeating: "x", count: 1_100) }.contains("name"))
        #expect(try reason { $0.extensions = (0..<40).map { ("1.2.3.\($0)", DER.null) } }.contains("extensions"))
        #expect(
            try reason { $0.extensions = [("1.2.3", [UInt8](repeating: 0, count: 4_000))] }.contains("4096 bytes"))
        #expect(throws: Never.self) { try X509Certificate(der: certificate { $0.serialBits = 160 }) }
    }

    @Test("a signature by SHA-1 over ECDSA, or by two names, is refused")
    func algorithms() throws {
        #expect(throws: CryptoError.self) { try X509Certificate(der: certificate(digest: .sha1)) }
        let der = try certificate()
        // The inner algorithm identifier comes first; the outer one stays.
        let inner = try #require(der.firstRange(of: [0x3D, 0x04, 0x03, 0x02] as [UInt8]))
        var changed = der
        changed[inner.upperBound - 1] = 3
        let error = try #require(throws: CryptoError.self) { try X509Certificate(der: changed) }
        #expect(error.reason.contains("two algorithms"))
    }

    @Test("a text from outside is exactly one certificate in PEM")
    func singlePEM() throws {
        let der = try certificate()
        let pem = PEM.encode("CERTIFICATE", der)
        for text in [pem, pem.replacing("\n", with: "\r\n"), "\r\n" + pem, pem.replacing("\n", with: " \n")] {
            #expect(try X509Certificate.der(ofSinglePEM: Array(text.utf8)) == der)
        }
        for text in [
            "", pem + pem, "1\n" + pem, pem + "1\n", PEM.encode("TRUSTED CERTIFICATE", der),
            pem.replacing("A", with: "-"),
            String(pem.dropLast(10)), PEM.encode("CERTIFICATE", []),
            pem + PEM.encode("PRIVATE KEY", der), PEM.encode("CERTIFICATE", [UInt8](repeating: 0x30, count: 6_100)),
        ] {
            #expect(throws: CryptoError.self, "\(text)") { try X509Certificate.der(ofSinglePEM: Array(text.utf8)) }
        }
    }
}

extension [UInt8] {
    /// The bytes with one hexadecimal text in the place of another of the same length.
    fileprivate func replacing(_ old: String, with new: String) -> [UInt8] {
        Hex.decode(Hex.encode(self).replacing(old, with: new)) ?? []
    }

    /// An RSA key whose modulus ends in a zero bit: the five bytes of the exponent follow it.
    fileprivate var evenModulus: [UInt8] {
        var bytes = self
        bytes[count - 6] &= 0xFE
        return bytes
    }
}
