/// The content of a certificate; every part can be made wrong.
public struct CertificateTemplate: Sendable {
    /// Bits of the key usage extension (RFC 5280, 4.2.1.3).
    public enum Usage: UInt8, Sendable {
        case digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment, keyAgreement, certificateSigning
        case listSigning
    }

    public var commonName: String
    /// The subject's UID attribute (0.9.2342.19200300.100.1.1), Apple's place for the merchant identifier.
    public var userID: String?
    /// First and last second of validity, since 1970.
    public var validity: ClosedRange<Int64>
    public var isAuthority = false
    public var usage: [Usage] = []
    /// Further extensions, not critical: object identifier and the bytes inside the OCTET STRING.
    public var extensions: [(oid: String, value: [UInt8])] = []
    /// At most this many bits of randomness in the serial number.
    public var serialBits = 63

    public init(commonName: String, validity: ClosedRange<Int64>) {
        self.commonName = commonName
        self.validity = validity
    }

    /// A certificate over any key, even an unusable one: the key is not read.
    ///
    /// - Parameters:
    ///   - subjectPublicKeyInfo: the key, as it shall stand in the certificate.
    ///   - issuer: the Name of the issuer in DER.
    public func certificate(
        over subjectPublicKeyInfo: [UInt8], signedBy signer: PrivateKey, issuer: [UInt8], digest: Digest = .sha256
    ) throws(PKIError) -> [UInt8] {
        let algorithm = SignatureAlgorithm.identifier(for: signer, digest: digest)
        let body = DER.sequence(
            DER.context(0, DER.integer([2])), serialNumber(), algorithm, issuer,
            DER.sequence(DER.time(validity.lowerBound), DER.time(validity.upperBound)), name, subjectPublicKeyInfo,
            extensions(subjectKey: subjectPublicKeyInfo, issuerKey: try signer.publicKey.subjectPublicKeyInfo))
        return DER.sequence(body, algorithm, DER.bitString(try signer.sign(body, digest: digest)))
    }

    /// The Name of the subject: UID, common name, organisation and country.
    var name: [UInt8] {
        func attribute(_ oid: String, _ value: [UInt8]) -> [UInt8] {
            DER.set([DER.sequence(DER.objectIdentifier(oid), value)])
        }
        let user = userID.map { attribute("0.9.2342.19200300.100.1.1", DER.utf8String($0)) } ?? []
        return DER.sequence(
            user, attribute("2.5.4.3", DER.utf8String(commonName)),
            attribute("2.5.4.10", DER.utf8String("Orchard Sandbox")), attribute("2.5.4.6", DER.printableString("CN")))
    }

    /// A positive number of at most ``serialBits`` bits.
    private func serialNumber() -> [UInt8] {
        var bytes = Randomness.bytes((serialBits + 7) / 8)
        bytes[0] &= UInt8(0xFF) >> UInt8((8 - serialBits % 8) % 8)
        bytes[bytes.count - 1] |= 1
        return DER.integer(bytes)
    }

    /// The extensions as they stand in the certificate, `[3]`.
    private func extensions(subjectKey: [UInt8], issuerKey: [UInt8]) -> [UInt8] {
        var list = [
            entry("2.5.29.14", DER.octetString(keyIdentifier(subjectKey))),
            entry("2.5.29.35", DER.sequence(DER.element(0x80, keyIdentifier(issuerKey)))),
            entry("2.5.29.19", DER.sequence(isAuthority ? DER.boolean(true) : []), critical: true),
            entry("2.5.29.15", usageBits, critical: true),
        ]
        list += extensions.map { entry($0.oid, $0.value) }
        return DER.context(3, DER.sequence(list.flatMap(\.self)))
    }

    private var usageBits: [UInt8] {
        let bits = usage.reduce(UInt8(0)) { $0 | 0x80 >> $1.rawValue }
        return DER.bitString([bits], unused: UInt8(bits == 0 ? 0 : bits.trailingZeroBitCount))
    }

    private func entry(_ oid: String, _ value: [UInt8], critical: Bool = false) -> [UInt8] {
        DER.sequence(DER.objectIdentifier(oid), critical ? DER.boolean(true) : [], DER.octetString(value))
    }

    /// Method 1 of RFC 7093: the first 160 bits of SHA-256 over the key.
    private func keyIdentifier(_ subjectPublicKeyInfo: [UInt8]) -> [UInt8] {
        Array(Digest.sha256.hash(subjectPublicKeyInfo).prefix(20))
    }
}
