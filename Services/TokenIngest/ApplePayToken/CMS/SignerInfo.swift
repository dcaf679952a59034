import OrchardCrypto

/// CMS SignerInfo (RFC 5652 section 5.3).
struct SignerInfo: Sendable {
    /// The signer as issuer and serial number; nil when it is identified by a key identifier.
    let issuerAndSerial: BERElement?
    let attributes: SignedAttributes?
    private let digestAlgorithm: AlgorithmIdentifier
    private let signatureAlgorithm: AlgorithmIdentifier
    private let signature: [UInt8]

    init(_ element: BERElement) throws(InvalidToken) {
        var fields = element.children
        _ = try fields.next(BERTag.integer)
        let name = try fields.next()
        issuerAndSerial = name.tag == BERTag.sequence ? name : nil
        digestAlgorithm = try AlgorithmIdentifier(try fields.next(BERTag.sequence))
        let attributes = try fields.nextIf(BERTag.context0)
        if let attributes {
            self.attributes = try SignedAttributes(attributes)
        } else {
            self.attributes = nil
        }
        signatureAlgorithm = try AlgorithmIdentifier(try fields.next(BERTag.sequence))
        signature = Array(try fields.next(BERTag.octetString).value)
        _ = try fields.nextIf(BERTag.context1)
        try fields.requireEnd()
    }

    /// Verifies the signature over its attributes, and that these belong to this content.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 of the content.
    ///   - key: The leaf's public key.
    func verify(content digest: [UInt8], scheme: TokenScheme, key: PublicKey) throws(InvalidToken) {
        guard let attributes else { throw InvalidToken(.signature, "the signature has no signed attributes") }
        let algorithm: ObjectIdentifier =
            switch scheme {
            case .ec: .ecdsaSHA256
            case .rsa: .rsaSHA256
            }
        guard digestAlgorithm.isPlain(.sha256), signatureAlgorithm.isPlain(algorithm) else {
            throw InvalidToken(.signature, "the signature's algorithms are not those of the token's version")
        }
        try attributes.require(digest: digest, digestAlgorithm: .sha256, signatureAlgorithm: algorithm)
        let isRight =
            switch (scheme, key) {
            case (.ec, .p256(let key)):
                key.verify(derSignature: signature, digest: SHA256.hash(attributes.signedBytes))
            case (.rsa, .rsa(let key)) where key.bits >= 2048:
                key.verifyPKCS1SHA256(signature: signature, digest: SHA256.hash(attributes.signedBytes))
            default:
                throw InvalidToken(.signature, "the leaf certificate's key is not of the token's version")
            }
        guard isRight else { throw InvalidToken(.signature, "the signature is not the leaf's") }
    }
}
