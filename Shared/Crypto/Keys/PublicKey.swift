/// The public key of a certificate, by its kind.
public enum PublicKey: Sendable {
    case p256(P256PublicKey)
    case rsa(RSAPublicKey)
    /// A key that Orchard itself does not use, such as the P-384 key of Apple's root.
    case other

    /// The SubjectPublicKeyInfo in DER; nil for a key that is not used here.
    public var subjectPublicKeyInfo: [UInt8]? {
        switch self {
        case .p256(let key): key.subjectPublicKeyInfo
        case .rsa(let key): key.subjectPublicKeyInfo
        case .other: nil
        }
    }
}
