import COrchardOpenSSL

/// The public half of a key.
public final class PublicKey: @unchecked Sendable {
    // @unchecked: the EVP_PKEY is not changed after it was made, and each operation uses a context of its own.
    let pointer: OpaquePointer

    /// Takes ownership of the reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Holds its own reference.
    init(sharing pointer: OpaquePointer) {
        EVP_PKEY_up_ref(pointer)
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }

    /// SubjectPublicKeyInfo in DER.
    public var subjectPublicKeyInfo: [UInt8] {
        get throws(PKIError) { try encoded { i2d_PUBKEY(pointer, $0) } }
    }

    /// Whether an ECDSA (DER) or RSASSA-PKCS1-v1_5 signature is correct.
    public func verify(_ signature: [UInt8], of message: [UInt8], digest: Digest = .sha256) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, digest.algorithm, nil, pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// RSAES-OAEP with SHA-256 for label and mask, as Apple wraps keys in RSA_v1 tokens.
    public func encryptOAEP(_ plaintext: [UInt8]) throws(PKIError) -> [UInt8] {
        try encrypt(plaintext) { context throws(PKIError) in
            try require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING), "EVP_PKEY_CTX_set_rsa_padding")
            try require(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()), "EVP_PKEY_CTX_set_rsa_oaep_md")
            try require(EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()), "EVP_PKEY_CTX_set_rsa_mgf1_md")
        }
    }

    /// RSAES-PKCS1-v1_5, as ACP encrypts card numbers.
    public func encryptPKCS1(_ plaintext: [UInt8]) throws(PKIError) -> [UInt8] {
        try encrypt(plaintext) { context throws(PKIError) in
            try require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING), "EVP_PKEY_CTX_set_rsa_padding")
        }
    }

    private func encrypt(
        _ plaintext: [UInt8], _ padding: (OpaquePointer) throws(PKIError) -> Void
    ) throws(PKIError) -> [UInt8] {
        let context = try require(EVP_PKEY_CTX_new(pointer, nil), "EVP_PKEY_CTX_new")
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_encrypt_init(context), "EVP_PKEY_encrypt_init")
        try padding(context)
        var count = Int(EVP_PKEY_get_size(pointer))
        var ciphertext = [UInt8](repeating: 0, count: count)
        try require(EVP_PKEY_encrypt(context, &ciphertext, &count, plaintext, plaintext.count), "EVP_PKEY_encrypt")
        return Array(ciphertext.prefix(count))
    }
}

/// The output of one of OpenSSL's `i2d_` functions.
func encoded(
    _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
) throws(PKIError) -> [UInt8] {
    let count = write(nil)
    guard count > 0 else { throw PKIError(.operation, "OpenSSL could not encode") }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    bytes.withUnsafeMutableBufferPointer { buffer in
        var start = buffer.baseAddress
        _ = write(&start)
    }
    return bytes
}
