import OrchardCrypto
import OrchardJSON

/// A key on P-256 with its identifier and, if it has one, its period of use (RFC 7517, RFC 7518 section 6.2).
public struct JWK: Sendable {
    /// The member `kid`.
    public let keyID: String
    public let publicKey: P256PublicKey
    /// Present when the key has the member `d`.
    public let privateKey: P256PrivateKey?
    /// First second of use since 1970 (`nbf`); nil: always.
    public let notBefore: Int64?
    /// First second since 1970 at which the key is out of use (`exp`); nil: never.
    public let expires: Int64?

    /// A public key.
    public init(keyID: String, publicKey: P256PublicKey, notBefore: Int64? = nil, expires: Int64? = nil) {
        self.keyID = keyID
        self.publicKey = publicKey
        privateKey = nil
        self.notBefore = notBefore
        self.expires = expires
    }

    /// A key with its private half.
    public init(keyID: String, privateKey: P256PrivateKey, notBefore: Int64? = nil, expires: Int64? = nil) {
        self.keyID = keyID
        publicKey = privateKey.publicKey
        self.privateKey = privateKey
        self.notBefore = notBefore
        self.expires = expires
    }

    /// Whether the key is in use at a time in seconds since 1970.
    public func isActive(at time: Int64) -> Bool {
        (notBefore ?? .min) <= time && time < (expires ?? .max)
    }

    /// The same key without its private half.
    public var withoutPrivateKey: JWK {
        JWK(keyID: keyID, publicKey: publicKey, notBefore: notBefore, expires: expires)
    }

    /// The SHA-256 thumbprint of the public key in base64url, a good identifier (RFC 7638).
    public static func thumbprint(of key: P256PublicKey) -> String {
        Base64.encodeURL(
            SHA256.hash(
                JSONWriter.object { object in
                    object.member("crv", "P-256")
                    object.member("kty", "EC")
                    object.member("x", Base64.encodeURL(key.x))
                    object.member("y", Base64.encodeURL(key.y))
                }))
    }
}
