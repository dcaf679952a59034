import OrchardCrypto

/// Verifies the certificates of a token up to the pinned root, and remembers the chains that were right.
///
/// Apple signs with a handful of leaves, so nearly every token brings a chain that is known: verifying one costs eight
/// times the rest of a token.
final class ChainVerifier: Sendable {
    /// Apple has one to three chains in use; only verified ones come in.
    static let capacity = 16

    /// Marks Apple's token signing leaf, and the intermediate above it (presence counts, not content).
    private static let leafMarker = "1.2.840.113635.100.6.29"
    private static let intermediateMarker = "1.2.840.113635.100.6.2.14"

    private let root: CertificateChain
    private let known = Guarded<[(key: [UInt8], chain: VerifiedChain)]>([])

    init(trust: Trust) {
        root = CertificateChain(root: trust.root)
    }

    /// How many chains are remembered.
    var knownCount: Int { known.current.count }

    /// Verifies leaf and intermediate, in either order, at a time in seconds since 1970.
    ///
    /// - Parameters:
    ///   - leafName: Becomes the leaf's common name as soon as a leaf is found, also when it is refused later.
    func verify(
        _ certificates: [[UInt8]], at time: Int64, leafName: inout String?
    ) throws(Refusal) -> VerifiedChain {
        var hasher = SHA256.Hasher()
        for certificate in certificates { hasher.update(certificate) }
        let key = hasher.finish()
        if certificates.count == 2, let chain = known.current.first(where: { $0.key == key })?.chain {
            leafName = chain.leafName
            try Self.require(chain, at: time)
            return chain
        }
        let chain = try verifyUnknown(certificates, at: time, leafName: &leafName)
        known.change { known in
            guard !known.contains(where: { $0.key == key }) else { return }
            if known.count == Self.capacity { known.removeFirst() }
            known.append((key, chain))
        }
        return chain
    }

    private static func require(_ chain: VerifiedChain, at time: Int64) throws(Refusal) {
        guard chain.validity.contains(time) else {
            throw Refusal(.chain, "a certificate was not valid when the token was signed")
        }
    }

    private func verifyUnknown(
        _ certificates: [[UInt8]], at time: Int64, leafName: inout String?
    ) throws(Refusal) -> VerifiedChain {
        var rows: [X509Certificate] = []
        for der in certificates {
            guard let row = try? X509Certificate(der: der) else {
                throw Refusal(.chain, "a certificate of the signature cannot be read")
            }
            rows.append(row)
        }
        let leaves = rows.filter { $0.extensionValue(oid: Self.leafMarker) != nil }
        let intermediates = rows.filter { $0.extensionValue(oid: Self.intermediateMarker) != nil }
        leafName = leaves.first?.subjectCommonName
        guard rows.count == 2 else {
            throw Refusal(.chain, "the signature has \(rows.count) certificates; Apple's have two")
        }
        guard leaves.count == 1, intermediates.count == 1, let leaf = leaves.first,
            let intermediate = intermediates.first, leaf !== intermediate
        else { throw Refusal(.chain, "the certificates are not marked as Apple's leaf and intermediate") }
        guard !leaf.isCA, leaf.keyUsage?.contains(.digitalSignature) == true, intermediate.isCA,
            intermediate.keyUsage?.contains(.keyCertSign) == true
        else { throw Refusal(.chain, "the certificates may not be used for what they are used for") }
        guard leaf.isSigned(by: intermediate) else {
            throw Refusal(.chain, "the leaf certificate is not the intermediate's")
        }
        do throws(CryptoError) {
            try root.verify(leaf, intermediates: [intermediate], at: time)
        } catch {
            throw Refusal(.chain, "the certificates do not lead to the trusted root: \(error.reason)")
        }
        let (first, last) = (max(leaf.notBefore, intermediate.notBefore), min(leaf.notAfter, intermediate.notAfter))
        guard first <= last else { throw Refusal(.chain, "the certificates were never valid at the same time") }
        return VerifiedChain(
            leafName: leaf.subjectCommonName, leafKey: leaf.publicKey,
            leafIdentity: leaf.issuerDER + leaf.serialNumberDER, validity: first...last)
    }
}
