import COrchardOpenSSL

/// An RSA private key: signs with PKCS#1 v1.5 and SHA-256, decrypts small secrets (RFC 8017).
public final class RSAPrivateKey: Sendable {
    let handle: KeyHandle
    public let publicKey: RSAPublicKey
    private let signing: ContextPool
    private let decryptingOAEP: ContextPool
    private let decryptingPKCS1: ContextPool

    private init(_ handle: KeyHandle) throws(CryptoError) {
        self.handle = handle
        publicKey = try RSAPublicKey(handle)
        signing = handle.pool { EVP_PKEY_sign_init($0) == 1 && RSAPadding.signature($0) }
        decryptingOAEP = handle.pool { EVP_PKEY_decrypt_init($0) == 1 && RSAPadding.oaep($0) }
        decryptingPKCS1 = handle.pool { EVP_PKEY_decrypt_init($0) == 1 && RSAPadding.pkcs1($0) }
    }

    /// A key from PEM, PKCS#8 or PKCS#1, not encrypted.
    public convenience init(pem: borrowing SecretBytes) throws(CryptoError) {
        try self.init(PEM.privateKey(pem))
    }

    /// A fresh key with the public exponent 65537.
    public static func generate(bits: Int = 2048) throws(CryptoError) -> RSAPrivateKey {
        let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
            EVP_PKEY_generate(context, &key) == 1, let handle = KeyHandle(owning: key)
        else { throw .openSSL(.library, "no key was generated") }
        return try RSAPrivateKey(handle)
    }

    /// Bits of the modulus.
    public var bits: Int { publicKey.bits }

    /// The key in PKCS#8 PEM, which is as secret as the key.
    public var pem: SecretBytes { handle.pem }

    /// The signature over SHA-256 of the message.
    public func signPKCS1SHA256(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try signing.output(
            upTo: (bits + 7) / 8, for: SHA256.hash(message), .library, "RSA signing failed", EVP_PKEY_sign)
    }

    /// Decrypts OAEP: SHA-256, MGF1 with SHA-256, empty label.
    ///
    /// - Throws: ``CryptoError`` `.authentication`, the same for every cause.
    public func decryptOAEPSHA256(_ ciphertext: [UInt8]) throws(CryptoError) -> SecretBytes {
        try decrypt(ciphertext, decryptingOAEP)
    }

    /// Decrypts PKCS#1 v1.5 padding.
    ///
    /// Never show an outside sender whether this failed: that would let the sender decrypt messages (Bleichenbacher
    /// 1998).
    public func decryptPKCS1(_ ciphertext: [UInt8]) throws(CryptoError) -> SecretBytes {
        try decrypt(ciphertext, decryptingPKCS1)
    }

    private func decrypt(_ ciphertext: [UInt8], _ pool: ContextPool) throws(CryptoError) -> SecretBytes {
        guard ciphertext.count == (bits + 7) / 8 else {
            throw CryptoError(.authentication, "the ciphertext does not have the length of the RSA key")
        }
        do throws(CryptoError) {
            return SecretBytes(
                taking: try pool.output(upTo: (bits + 7) / 8, for: ciphertext, .authentication, "", EVP_PKEY_decrypt))
        } catch {
            throw CryptoError(.authentication, "the ciphertext was changed or belongs to another key")
        }
    }
}
