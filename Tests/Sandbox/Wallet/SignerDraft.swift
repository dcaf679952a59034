import SandboxPKI

/// One SignerInfo before it is encoded.
public struct SignerDraft: Sendable {
    static let data = "1.2.840.113549.1.7.1"

    /// Names the signer by issuer and serial number, and signs unless ``key`` replaces its key.
    public var identity: Identity
    /// Seconds since 1970; nil leaves the attribute out.
    public var signedAt: Int64?
    /// Another signing time beside it: an attribute that is there twice.
    public var secondSigningTime: Int64?
    /// Signs instead of the identity's key.
    public var key: PrivateKey?
    public var hasNullParameters = false
    public var hasAlgorithmProtection = true
    /// Replaces the correct message digest.
    public var messageDigest: [UInt8]?

    /// The AlgorithmIdentifier of SHA-256.
    var digestAlgorithm: [UInt8] {
        DER.sequence(DER.objectIdentifier(Digest.sha256.objectIdentifier), hasNullParameters ? DER.null : [])
    }

    /// The SignerInfo; the signature covers the attributes as a SET OF, never the content itself.
    func encode(_ content: [UInt8]) throws(PKIError) -> [UInt8] {
        let signingKey = key ?? identity.key
        let algorithm = SignatureAlgorithm.identifier(for: signingKey, digest: .sha256)
        let attributes = DER.set(attributes(content, algorithm))
        return DER.sequence(
            DER.integer([1]), DER.sequence(identity.certificate.issuer, identity.certificate.serialNumber),
            digestAlgorithm, [0xA0] + attributes.dropFirst(), algorithm,
            DER.octetString(try signingKey.sign(attributes)))
    }

    private func attributes(_ content: [UInt8], _ algorithm: [UInt8]) -> [[UInt8]] {
        var list = [
            attribute("1.2.840.113549.1.9.3", DER.objectIdentifier(Self.data)),
            attribute("1.2.840.113549.1.9.4", DER.octetString(messageDigest ?? Digest.sha256.hash(content))),
        ]
        for time in [signedAt, secondSigningTime] {
            if let time { list.append(attribute("1.2.840.113549.1.9.5", DER.utcTime(time))) }
        }
        if hasAlgorithmProtection {
            // CMSAlgorithmProtection (RFC 6211): signatureAlgorithm is [1] IMPLICIT.
            let protection = DER.sequence(digestAlgorithm, [0xA1] + algorithm.dropFirst())
            list.append(attribute("1.2.840.113549.1.9.52", protection))
        }
        return list
    }

    private func attribute(_ oid: String, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(DER.objectIdentifier(oid), DER.set([value]))
    }
}
