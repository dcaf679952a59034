import SandboxPKI

/// A detached CMS SignedData (RFC 5652) before it is encoded.
///
/// Apple's form: indefinite lengths, leaf then intermediate, one signer. Each part can be changed to make a wrong one.
public struct SignatureDraft: Sendable {
    public var certificates: [[UInt8]]
    public var signers: [SignerDraft]
    /// Whether lengths are indefinite, as Apple writes them.
    public var isIndefinite = true
    /// Whether the signed bytes are put into the message, which Apple never does.
    public var isContentEmbedded = false

    /// The whole ContentInfo over `content`.
    func encode(_ content: [UInt8]) throws(PKIError) -> [UInt8] {
        var infos: [[UInt8]] = []
        for signer in signers { infos.append(try signer.encode(content)) }
        let digests = Set(signers.map(\.digestAlgorithm))
        let embedded =
            isContentEmbedded ? DER.context(0, DER.octetString(content), indefinite: isIndefinite) : []
        let signedData = DER.sequence(
            DER.integer([1]), DER.set(Array(digests)),
            DER.sequence(DER.objectIdentifier(SignerDraft.data), embedded, indefinite: isIndefinite),
            DER.context(0, certificates.flatMap(\.self), indefinite: isIndefinite), DER.set(infos),
            indefinite: isIndefinite)
        return DER.sequence(
            DER.objectIdentifier("1.2.840.113549.1.7.2"), DER.context(0, signedData, indefinite: isIndefinite),
            indefinite: isIndefinite)
    }
}
