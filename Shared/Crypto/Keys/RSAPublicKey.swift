import COrchardOpenSSL

/// An RSA public key: verifies PKCS#1 v1.5 signatures with SHA-256, encrypts small secrets (RFC 8017).
public final class RSAPublicKey: Sendable {
    let handle: KeyHandle
    /// Bits of the modulus.
    public let bits: Int
    /// The SubjectPublicKeyInfo in DER.
    public let subjectPublicKeyInfo: [UInt8]
    private let verifying: ContextPool
    private let encryptingOAEP: ContextPool
    private let encryptingPKCS1: ContextPool

    init(_ handle: KeyHandle) throws(CryptoError) {
        guard EVP_PKEY_is_a(handle.pointer, "RSA") == 1 else { throw CryptoError(.key, "this is no RSA key") }
        self.handle = handle
        bits = Int(EVP_PKEY_get_bits(handle.pointer))
        subjectPublicKeyInfo = handle.subjectPublicKeyInfo
        verifying = handle.pool { EVP_PKEY_verify_init($0) == 1 && RSAPadding.signature($0) }
        encryptingOAEP = handle.pool { EVP_PKEY_encrypt_init($0) == 1 && RSAPadding.oaep($0) }
        encryptingPKCS1 = handle.pool { EVP_PKEY_encrypt_init($0) == 1 && RSAPadding.pkcs1($0) }
    }

    /// A key from its SubjectPublicKeyInfo in DER: 2048 to 4096 bits with the exponent 65537.
    public convenience init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
        guard PublicKeyForm(subjectPublicKeyInfo: der[...]) == .rsa else {
            throw CryptoError(
                .key, "this is not the SubjectPublicKeyInfo of an RSA key of 2048 to 4096 bits with e = 65537")
        }
        let pointer = DER.decode(der, { d2i_PUBKEY(nil, $0, $1) }, free: { EVP_PKEY_free($0) })
        guard let handle = KeyHandle(owning: pointer) else { throw .openSSL(.key, "this is no public key in DER") }
        try self.init(handle)
    }

    /// Whether the signature is this key's over SHA-256 of the message.
    public func verifyPKCS1SHA256(signature: [UInt8], message: [UInt8]) -> Bool {
        verifyPKCS1SHA256(signature: signature, digest: SHA256.hash(message))
    }

    /// Whether the signature is this key's over the digest.
    public func verifyPKCS1SHA256(signature: [UInt8], digest: [UInt8]) -> Bool {
        guard signature.count == (bits + 7) / 8 else { return false }
        let isRight = try? verifying.withContext { context throws(CryptoError) in
            EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
        }
        if isRight != true { ERR_clear_error() }
        return isRight ?? false
    }

    /// Encrypts with OAEP: SHA-256, MGF1 with SHA-256, empty label.
    public func encryptOAEPSHA256(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        try encryptingOAEP.output(
            upTo: (bits + 7) / 8, for: plaintext, .input, "OAEP cannot encrypt this", EVP_PKEY_encrypt)
    }

    /// Encrypts with PKCS#1 v1.5 padding, where a protocol requires it.
    public func encryptPKCS1(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        try encryptingPKCS1.output(
            upTo: (bits + 7) / 8, for: plaintext, .input, "PKCS#1 cannot encrypt this", EVP_PKEY_encrypt)
    }
}

/// Paddings, as settings of a prepared context.
enum RSAPadding {
    static func signature(_ context: OpaquePointer) -> Bool {
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
            && EVP_PKEY_CTX_set_signature_md(context, Algorithm.sha256.pointer) == 1
    }

    static func oaep(_ context: OpaquePointer) -> Bool {
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_oaep_md(context, Algorithm.sha256.pointer) == 1
            && EVP_PKEY_CTX_set_rsa_mgf1_md(context, Algorithm.sha256.pointer) == 1
    }

    static func pkcs1(_ context: OpaquePointer) -> Bool {
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
    }
}
