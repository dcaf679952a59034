import ApplePayToken
import Foundation
import SandboxPKI
import SandboxWallet
import TestSupport
import Testing

/// Bodies of at most 64 KB, made without any key of Apple's to keep the verifier busy.
struct CostlyTokens {
    let bench: TestWallet

    /// Named by their content.
    func all() throws -> [(name: String, token: [UInt8])] {
        try certificates() + structures() + texts()
    }

    // MARK: - Certificates

    private func certificates() throws -> [(String, [UInt8])] {
        let ordinary = bench.wallet.root.certificate.der
        return [
            ("explicit parameters, compressed points", try chain(CostlyKey.explicitParameters)),
            ("a huge exponent", try chain(CostlyKey.hugeExponent)),
            ("a modulus of 16384 bits", try chain(CostlyKey.hugeModulus)),
            ("certificates up to the limit", try certificates(Array(repeating: ordinary, count: 80))),
            ("191 certificates", try certificates(Array(repeating: Array(ordinary.prefix(190)), count: 191))),
            ("a serial number of 3 KB", try chain { $0.serialBits = 8 * 3_000 }),
            ("a serial number of 20 KB", try chain { $0.serialBits = 8 * 20_000 }),
            ("a name of 900 bytes", try chain { $0.commonName = String(repeating: "é", count: 450) }),
            (
                "names in a certificate's extension",
                try chain {
                    let names = [UInt8](repeating: 0, count: 1_500).flatMap { _ in [0x82, 0x00] as [UInt8] }
                    $0.extensions = [("2.5.29.17", DER.sequence(names))]
                }
            ),
            (
                "deep nesting in a certificate's extension",
                try chain { $0.extensions = [("2.5.29.30", Self.nested(400))] }
            ),
            ("an honest intermediate with a stranger's leaf", try strangersLeaf()),
            ("a stranger's intermediate of the root's name", try strangersIntermediate()),
        ]
    }

    /// Leaf and intermediate over this key, with Apple's marks.
    private func chain(
        _ key: [UInt8]? = nil, _ change: @Sendable (inout CertificateTemplate) -> Void = { _ in }
    ) throws -> [UInt8] {
        let signer = try PrivateKey(.p256)
        let info = try key ?? signer.publicKey.subjectPublicKeyInfo
        var intermediate = template(Wallet.intermediateMarker)
        intermediate.isAuthority = true
        intermediate.usage = [.certificateSigning]
        var leaf = template(Wallet.leafMarker)
        change(&intermediate)
        change(&leaf)
        let name = bench.wallet.root.certificate.subject
        return try certificates([
            leaf.certificate(over: info, signedBy: signer, issuer: name),
            intermediate.certificate(over: info, signedBy: signer, issuer: name),
        ])
    }

    private func template(_ marker: String) -> CertificateTemplate {
        var template = CertificateTemplate(
            commonName: "stranger", validity: (TestWallet.now - 1_000)...(TestWallet.now + 1_000))
        template.usage = [.digitalSignature]
        template.extensions = [(marker, DER.null)]
        return template
    }

    private func strangersLeaf() throws -> [UInt8] {
        let key = try PrivateKey(.p256)
        let (honest, info) = (bench.wallet.intermediate.certificate, try key.publicKey.subjectPublicKeyInfo)
        return try certificates([
            template(Wallet.leafMarker).certificate(over: info, signedBy: key, issuer: honest.subject), honest.der,
        ])
    }

    private func strangersIntermediate() throws -> [UInt8] {
        let key = try PrivateKey(.p384)
        let info = try key.publicKey.subjectPublicKeyInfo
        var intermediate = template(Wallet.intermediateMarker)
        intermediate.isAuthority = true
        intermediate.usage = [.certificateSigning]
        // Signed with SHA-384 by its own P-384 key: the most costly signature that is verified at all.
        return try certificates([
            template(Wallet.leafMarker).certificate(over: info, signedBy: key, issuer: DER.sequence()),
            intermediate.certificate(
                over: info, signedBy: key, issuer: bench.wallet.root.certificate.subject, digest: .sha384),
        ])
    }

    private func certificates(_ certificates: [[UInt8]]) throws -> [UInt8] {
        var tampering = Tampering()
        tampering.signature = { $0.certificates = certificates }
        return try bench.wallet.mint(bench.request(), tampering: tampering).json
    }

    // MARK: - The signature's structure

    private func structures() throws -> [(String, [UInt8])] {
        var signers = Tampering()
        signers.signature = { $0.signers = Array(repeating: $0.signers[0], count: 100) }
        let attribute = DER.sequence([6, 0], [0x31, 0])
        let attributes = (0..<7_000).flatMap { _ in attribute }
        return [
            ("100 signers", try bench.wallet.mint(bench.request(), tampering: signers).json),
            ("deep nesting", Self.token((0..<23_000).flatMap { _ in [0x30, 0x80] as [UInt8] })),
            ("nesting with an end", Self.token(Self.nested(20_000))),
            (
                "elements before an end mark",
                Self.token([0x30, 0x80] + (0..<23_000).flatMap { _ in DER.null } + [0, 0])
            ),
            ("7,000 attributes", Self.token(signedData(attributes: attributes))),
            ("20,000 values of an attribute", Self.token(signedData(attributes: attribute + Self.attributeOfMany))),
            ("a number of 40 KB", Self.token(DER.sequence(DER.integer([UInt8](repeating: 0x7F, count: 40_000))))),
        ]
    }

    private static let attributeOfMany = DER.sequence(
        DER.objectIdentifier("1.2.840.113549.1.9.4"), DER.element(0x31, (0..<20_000).flatMap { _ in DER.null }))

    private func signedData(attributes: [UInt8]) -> [UInt8] {
        let algorithm = DER.sequence(DER.objectIdentifier("2.16.840.1.101.3.4.2.1"))
        let info = DER.sequence(
            DER.integer([1]), DER.sequence(), algorithm, DER.context(0, attributes), algorithm, DER.octetString([1]))
        let data = DER.sequence(
            DER.integer([1]), DER.set([algorithm]), DER.sequence(DER.objectIdentifier("1.2.840.113549.1.7.1")),
            DER.context(0, bench.wallet.root.certificate.der), DER.set([info]))
        return DER.sequence(DER.objectIdentifier("1.2.840.113549.1.7.2"), DER.context(0, data))
    }

    private static func nested(_ levels: Int) -> [UInt8] {
        var inner: [UInt8] = []
        for _ in 0..<levels where inner.count < 45_000 { inner = DER.sequence(inner) }
        return inner
    }

    /// A token with that signature; nothing else in it is valid.
    private static func token(_ signature: [UInt8]) -> [UInt8] {
        let zeros = String(repeating: "00", count: 32)
        let hash = Data([UInt8](repeating: 0, count: 32)).base64EncodedString()
        return Array(
            """
            {"version":"EC_v1","data":"AAAA","signature":"\(Data(signature).base64EncodedString())","header":\
            {"ephemeralPublicKey":"AAAA","publicKeyHash":"\(hash)","transactionId":"\(zeros)"}}
            """.utf8)
    }

    // MARK: - The text

    private func texts() -> [(String, [UInt8])] {
        func repeated(_ part: String, _ count: Int) -> String { String(repeating: part, count: count) }
        func versioned(_ version: String) -> String {
            let token = String(decoding: Self.token(bench.wallet.root.certificate.der), as: UTF8.self)
            return token.replacing("EC_v1", with: version)
        }
        let texts = [
            ("objects in each other", repeated(#"{"a":"#, 12_000)),
            ("arrays", #"{"a":["# + repeated("[],", 20_000) + "[]]}"),
            ("small numbers", #"{"a":["# + repeated("0,", 30_000) + "0]}"),
            ("words", #"{"a":["# + repeated("true,", 12_000) + "true]}"),
            ("a long number", #"{"a":"# + repeated("9", 60_000) + "}"),
            ("members", "{" + (0..<6_000).map { #""\#($0)":0"# }.joined(separator: ",") + "}"),
            ("empty objects", "{" + (0..<4_000).map { #""a\#($0)":{}"# }.joined(separator: ",") + "}"),
            ("a long name", #"{""# + repeated("a", 60_000) + #"":0}"#),
            ("a long name twice", #"{""# + repeated("a", 30_000) + #"":0,""# + repeated("a", 30_000) + #"":0}"#),
            ("a name of marks that combine", #"{""# + repeated("a\u{301}\u{300}\u{316}", 8_000) + #"":0}"#),
            ("a version of marks", #"{"version":"\#(CombiningMarks.text(30_000))"}"#),
            ("a version of 30 marks a letter", versioned(CombiningMarks.streamSafeText(15_000))),
            (
                "a name of marks behind others",
                "{" + (0..<15).map { #""a\#($0)":0,"# }.joined() + #""\u0062\#(CombiningMarks.text(30_000))":0}"#
            ),
            ("escapes", #"{"version":""# + repeated(#"\u0041"#, 10_000) + #""}"#),
            ("names in escapes", "{" + (0..<3_000).map { #""\u0041\#($0)":0"# }.joined(separator: ",") + "}"),
            ("white space", "{" + repeated(" ", 64_000) + "}"),
        ]
        return texts.map { ($0.0, Array($0.1.utf8)) }
    }
}
