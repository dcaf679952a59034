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

extension JWK {
    /// Writes the members; with `d` when the key has its private half.
    func write(to object: inout JSONObjectWriter) throws(CryptoError) {
        object.member("crv", "P-256")
        if let privateKey {
            try privateKey.scalar().base64URL().withBytes { object.member("d", plain: $0) }
        }
        object.member("exp", expires)
        object.member("kid", keyID)
        object.member("kty", "EC")
        object.member("nbf", notBefore)
        object.member("x", Base64.encodeURL(publicKey.x))
        object.member("y", Base64.encodeURL(publicKey.y))
    }

    /// Reads a key; nil for keys of other kinds, which a reader skips (RFC 7517 section 5).
    init?(_ reader: inout JSONReader) throws(JSONError) {
        var texts: [String: String] = [:]
        var secret: SecretBytes?
        var notBefore: Int64?
        var expires: Int64?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "kid", "kty", "crv", "x", "y": texts[name.description] = try reader.string()
            case "d": secret = try Self.number(&reader)
            case "nbf": notBefore = try reader.int64()
            case "exp": expires = try reader.int64()
            default: try reader.skip()
            }
        }
        guard try reader.required(texts["kty"], "kty") == "EC", texts["crv"] == "P-256" else { return nil }
        let keyID = try reader.required(texts["kid"], "kid")
        guard let x = texts["x"].flatMap(Base64.decodeURL), let y = texts["y"].flatMap(Base64.decodeURL),
            x.count == 32, y.count == 32
        else { throw reader.error(.value, "the members x and y must be 32 bytes each in base64url") }
        guard let publicKey = try? P256PublicKey(uncompressed: [0x04] + x + y) else {
            throw reader.error(.value, "the point x, y is not on P-256")
        }
        guard let secret else {
            self.init(keyID: keyID, publicKey: publicKey, notBefore: notBefore, expires: expires)
            return
        }
        guard let privateKey = try? P256PrivateKey(scalar: secret), privateKey.publicKey == publicKey else {
            throw reader.error(.value, "the member d does not belong to x and y")
        }
        self.init(keyID: keyID, privateKey: privateKey, notBefore: notBefore, expires: expires)
    }

    private static func number(_ reader: inout JSONReader) throws(JSONError) -> SecretBytes {
        var text = SecretBytes()
        try reader.utf8 { text.append($0) }
        guard let bytes = text.withBytes({ Base64.decodeURL(utf8: $0[...]) }) else {
            throw reader.error(.value, "the member must be base64url")
        }
        return SecretBytes(taking: bytes)
    }
}
