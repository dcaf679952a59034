import OrchardCrypto
import OrchardJSON

/// Verifies the certificates of a token up to the pinned root, and remembers the valid chains.
///
/// Apple signs with few leaves, so nearly every token brings a known chain: verifying a chain costs eight times the
/// rest of a token. A sender of other chains costs little more than a token's time: no certificate is used in a
/// computation before the certificate above it is proved.
final class ChainVerifier: Sendable {
    /// Apple has one to three chains in use; only verified chains are stored.
    static let capacity = 16

    /// Marks Apple's token signing leaf, and the intermediate above it (only its presence counts, not its content).
    private static let leafMarker = "1.2.840.113635.100.6.29"
    private static let intermediateMarker = "1.2.840.113635.100.6.2.14"

    private let root: CertificateChain
    private let known = Guarded(RecentlyUsed<VerifiedChain>(capacity: capacity))
    /// Intermediates with a valid signature of the root, by the hash of their DER.
    private let provedIntermediates = Guarded(RecentlyUsed<Bool>(capacity: capacity))

    init(trust: Trust) {
        root = CertificateChain(root: trust.root)
    }

    /// How many chains are kept.
    var knownCount: Int { known.current.count }

    /// Verifies leaf and intermediate, in either order, at a time in seconds since 1970.
    ///
    /// - Parameters:
    ///   - certificates: in DER.
    ///   - leafName: Becomes the leaf's common name as soon as a leaf is found, also when it is refused later.
    func verify(
        _ certificates: [[UInt8]], at time: Int64, leafName: inout String?
    ) throws(InvalidToken) -> VerifiedChain {
        guard certificates.count == 2 else {
            let count = certificates.count > 2 ? "more than two" : "\(certificates.count)"
            throw InvalidToken(.chain, "the signature has \(count) certificates; Apple's have two")
        }
        // The key is the certificates' bytes and no other part of a signature: one chain is one entry.
        let key = certificates.flatMap(SHA256.hash)
        if let chain = known.change({ $0.use(key) }) {
            leafName = chain.leafName
            guard chain.validity.contains(time) else {
                throw InvalidToken(.chain, "a certificate was not valid when the token was signed")
            }
            return chain
        }
        let chain = try verifyUnknown(certificates, at: time, leafName: &leafName)
        known.change { $0.keep(chain, for: key) }
        return chain
    }

    private func verifyUnknown(
        _ certificates: [[UInt8]], at time: Int64, leafName: inout String?
    ) throws(InvalidToken) -> VerifiedChain {
        var rows: [X509Certificate] = []
        for der in certificates { rows.append(try Self.read(der)) }
        let leaves = rows.filter { $0.extensionValue(oid: Self.leafMarker) != nil }
        let intermediates = rows.filter { $0.extensionValue(oid: Self.intermediateMarker) != nil }
        leafName = Self.name(leaves.first)
        guard leaves.count == 1, intermediates.count == 1, let leaf = leaves.first,
            let intermediate = intermediates.first, leaf !== intermediate
        else { throw InvalidToken(.chain, "the certificates are not marked as Apple's leaf and intermediate") }
        guard !leaf.isCA, leaf.keyUsage?.contains(.digitalSignature) == true, intermediate.isCA,
            intermediate.keyUsage?.contains(.keyCertSign) == true
        else { throw InvalidToken(.chain, "the certificates may not be used for what they are used for") }
        guard isProved(intermediate) else {
            throw InvalidToken(.chain, "the intermediate certificate is not the trusted root's")
        }
        guard leaf.isSigned(by: intermediate) else {
            throw InvalidToken(.chain, "the leaf certificate is not the intermediate's")
        }
        do throws(CryptoError) {
            try root.verify(leaf, intermediates: [intermediate], at: time)
        } catch {
            throw InvalidToken(.chain, "the certificates do not lead to the trusted root: \(error.reason)")
        }
        let all = [leaf, intermediate, root.root]
        guard let first = all.map(\.notBefore).max(), let last = all.map(\.notAfter).min(), first <= last else {
            throw InvalidToken(.chain, "the certificates were never valid at the same time")
        }
        return VerifiedChain(
            leafName: Self.name(leaf), leafKey: leaf.publicKey,
            leafIdentity: leaf.issuerDER + leaf.serialNumberDER, validity: first...last)
    }

    /// The name for logs and operators: unproved input until the chain is proved.
    private static func name(_ leaf: X509Certificate?) -> String? {
        leaf?.subjectCommonName.map { OutsideText.printable($0, upTo: 64) }
    }

    private static func read(_ der: [UInt8]) throws(InvalidToken) -> X509Certificate {
        do throws(CryptoError) {
            return try X509Certificate(der: der)
        } catch {
            throw InvalidToken(.chain, "a certificate of the signature is refused: \(error.reason)")
        }
    }

    /// Whether the root signed the intermediate. This is most of a chain's cost, so it is computed once for each
    /// certificate.
    private func isProved(_ intermediate: X509Certificate) -> Bool {
        let key = SHA256.hash(intermediate.der)
        if provedIntermediates.change({ $0.use(key) }) == true { return true }
        guard intermediate.isSigned(by: root.root) else { return false }
        provedIntermediates.change { $0.keep(true, for: key) }
        return true
    }
}

/// A chain that was verified once: the parts that later tokens need.
struct VerifiedChain: Sendable {
    let leafName: String?
    let leafKey: PublicKey
    /// The leaf's issuer and serial number in DER, as a SignerInfo names its signer.
    let leafIdentity: [UInt8]
    /// The seconds since 1970 during which leaf, intermediate and root are all valid.
    let validity: ClosedRange<Int64>
}
