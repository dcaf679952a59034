/// How the content key travels: the member of the header that belongs to the version.
enum KeyWrapping: Sendable {
    /// The ephemeral public key, SubjectPublicKeyInfo in DER.
    case ephemeralKey([UInt8])
    /// The content key under the merchant's RSA key.
    case wrappedKey([UInt8])

    var scheme: TokenScheme {
        switch self {
        case .ephemeralKey: .ec
        case .wrappedKey: .rsa
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .ephemeralKey(let bytes), .wrappedKey(let bytes): bytes
        }
    }
}
