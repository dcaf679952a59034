import OrchardCrypto
import OrchardJSON

/// Signed tokens: JWS compact serialisation with ES256 (RFC 7515, RFC 7518 section 3.4).
///
/// One algorithm, one header: `{"alg":"ES256","kid":…,"typ":…}` byte by byte. This one comparison refuses `none` and
/// other algorithms, `crit`, `jwk`, `jku`, `x5u`, `b64`, and a type made for another purpose. A token's bytes are no
/// identity, since an ECDSA signature can be changed into another valid one.
public enum JWS {
    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - type: The `typ` of the header, which keeps tokens of different purposes apart (RFC 8725 section 3.11).
    ///   - keyID: The `kid` under which verifiers know the key.
    public static func sign(
        payload: [UInt8], type: String, keyID: String, with key: P256PrivateKey
    ) throws(CryptoError) -> String {
        let input = "\(Base64.encodeURL(header(type: type, keyID: keyID))).\(Base64.encodeURL(payload))"
        return "\(input).\(Base64.encodeURL(try key.sign(Array(input.utf8))))"
    }

    /// Verifies a token and returns its payload. The caller must still check the payload's meaning (expiry, issuer …).
    ///
    /// - Parameters:
    ///   - keys: The keys that may sign, by `kid`.
    ///   - maximumSize: Larger tokens are refused before they are parsed, in bytes.
    /// - Throws: ``JOSEError`` `.malformed`, `.unknownKey` or `.authentication`.
    public static func verify(
        _ compact: String, type: String, keys: [String: P256PublicKey], maximumSize: Int = 8192
    ) throws(JOSEError) -> (payload: [UInt8], keyID: String) {
        let form = try CompactForm(compact, parts: 3, maximumSize: maximumSize)
        var named: String?
        let header = try form.header { reader, name throws(JSONError) in
            if name == "kid" { named = try reader.string() } else { try reader.skip() }
        }
        guard let keyID = named, header == Self.header(type: type, keyID: keyID) else {
            throw JOSEError(.malformed, "the header of the token is not that of an ES256 token of type \(type)")
        }
        let payload = try form.bytes(1)
        let signature = try form.bytes(2)
        guard let key = keys[keyID] else { throw JOSEError(.unknownKey, "no key has the identifier the token names") }
        let input = Array(compact.utf8.prefix(form.parts[0].count + 1 + form.parts[1].count))
        guard key.verify(signature: signature, message: input) else {
            throw JOSEError(.authentication, "the signature is not right")
        }
        return (payload, keyID)
    }

    private static func header(type: String, keyID: String) -> [UInt8] {
        JSONWriter.object { header in
            header.member("alg", "ES256")
            header.member("kid", keyID)
            header.member("typ", type)
        }
    }
}
