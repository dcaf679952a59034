import OrchardCrypto

/// A chain that was verified once, as far as later tokens need it.
struct VerifiedChain: Sendable {
    let leafName: String?
    let leafKey: PublicKey
    /// The leaf's issuer and serial number in DER, as a SignerInfo names its signer.
    let leafIdentity: [UInt8]
    /// The seconds since 1970 in which leaf, intermediate and root are valid.
    let validity: ClosedRange<Int64>
}
