import OrchardCrypto
import OrchardJSON

/// Sealed data: JWE compact serialisation with ECDH-ES on P-256 and A256GCM (RFC 7516, RFC 7518 sections 4.6 and 5.3).
///
/// `apu` and `apv` bind the ciphertext to its payment: both enter the key derivation and the additional data. The
/// receiver computes them itself, so a ciphertext moved to another payment does not open. Any JOSE library can read it.
public enum JWE {
    /// The receiver's default size limit in bytes.
    public static let maximumSize = 16_384

    private static let ivCount = 12

    /// Seals with a fresh ephemeral key.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` under which the receiver knows its key.
    ///   - apu: The sender, raw bytes (PartyUInfo).
    ///   - apv: The purpose, raw bytes (PartyVInfo).
    public static func seal(
        _ plaintext: borrowing SecretBytes, to key: P256PublicKey, keyID: String, apu: [UInt8], apv: [UInt8]
    ) throws(CryptoError) -> String {
        let agreement = try EphemeralAgreement(with: key)
        let header = Base64.encodedURL(JWEHeader(keyID: keyID, apu: apu, apv: apv, point: agreement.point).bytes)
        let contentKey = ConcatKDF.derive(
            32, from: agreement.secret, algorithm: JWEHeader.encryption, apu: apu, apv: apv)
        let iv = SecureRandom.bytes(ivCount)
        let sealed = try plaintext.withBytes { plaintext throws(CryptoError) in
            try AESGCM.seal(plaintext, key: contentKey, iv: iv, aad: header)
        }
        var text = header
        // There is no encrypted key: the agreement itself gives the content key.
        text.append(UInt8(ascii: "."))
        for part in [iv, Array(sealed.dropLast(AESGCM.tagCount)), Array(sealed.suffix(AESGCM.tagCount))] {
            text.append(UInt8(ascii: "."))
            text += Base64.encodedURL(part)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Opens what was sealed for exactly these `apu` and `apv`.
    ///
    /// - Parameters:
    ///   - keys: The receiver's private keys by `kid`.
    /// - Throws: ``JOSEError`` `.malformed` for another form, `.binding` when it was sealed for something else,
    ///   `.unknownKey` when the key is missing, `.authentication` when key or bytes are not those it was sealed with.
    public static func open(
        _ compact: String, keys: (String) -> P256PrivateKey?, apu: [UInt8], apv: [UInt8],
        maximumSize: Int = maximumSize
    ) throws(JOSEError) -> SecretBytes {
        let form = try CompactForm(compact, parts: 5, maximumSize: maximumSize)
        let (header, ephemeral) = try JWEHeader.read(form)
        let iv = try form.bytes(2)
        let tag = try form.bytes(4)
        let sealed = try form.bytes(3) + tag
        guard form.parts[1].isEmpty, iv.count == ivCount, tag.count == AESGCM.tagCount else {
            throw JOSEError(.malformed, "the token is not a direct ECDH-ES with A256GCM")
        }
        guard header.apu == apu, header.apv == apv else {
            throw JOSEError(.binding, "the token was sealed for another payment or ticket")
        }
        guard let key = keys(header.keyID) else {
            throw JOSEError(.unknownKey, "no key has the identifier the token names")
        }
        do throws(CryptoError) {
            let contentKey = ConcatKDF.derive(
                32, from: try key.sharedSecret(with: ephemeral), algorithm: JWEHeader.encryption, apu: apu, apv: apv)
            return try AESGCM.open(sealed, key: contentKey, iv: iv, aad: Array(form.parts[0]))
        } catch {
            throw JOSEError(.authentication, "the token was changed or belongs to another key")
        }
    }

    /// The `kid` of a sealed text, without opening it: shows which key is still needed.
    public static func keyID(of compact: String, maximumSize: Int = maximumSize) throws(JOSEError) -> String {
        try JWEHeader.read(CompactForm(compact, parts: 5, maximumSize: maximumSize)).header.keyID
    }
}
