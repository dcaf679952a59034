import COrchardOpenSSL

/// AES in Galois/Counter Mode (NIST SP 800-38D) with tags of 16 bytes.
public enum AESGCM {
    /// Bytes of a tag.
    public static let tagCount = 16

    private static let contexts = ContextPool({ EVP_CIPHER_CTX_new() }, free: { EVP_CIPHER_CTX_free($0) })

    /// Encrypts and returns the ciphertext followed by its tag.
    ///
    /// - Parameters:
    ///   - key: 16 or 32 bytes.
    ///   - iv: Never twice with one key. 12 bytes are usual; other lengths work as the standard defines.
    public static func seal(
        _ plaintext: [UInt8], key: borrowing SecretBytes, iv: [UInt8], aad: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try run(key: key, iv: iv, encrypts: true) { context in
            var written: Int32 = 0
            guard add(aad, to: context) else { return nil }
            var isDone = false
            let sealed = [UInt8](unsafeUninitializedCapacity: plaintext.count + tagCount) { buffer, count in
                guard let start = buffer.baseAddress,
                    EVP_CipherUpdate(context, start, &written, plaintext, Int32(plaintext.count)) == 1,
                    EVP_CipherFinal_ex(context, start + plaintext.count, &written) == 1,
                    EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), start + plaintext.count) == 1
                else { return }
                count = plaintext.count + tagCount
                isDone = true
            }
            return isDone ? sealed : nil
        }
    }

    /// Decrypts. Changed bytes and another key, IV or additional data are refused with the same error.
    ///
    /// - Parameters:
    ///   - sealed: The ciphertext followed by its tag.
    ///   - key: 16 or 32 bytes.
    /// - Throws: ``CryptoError`` `.authentication`.
    public static func open(
        _ sealed: [UInt8], key: borrowing SecretBytes, iv: [UInt8], aad: [UInt8] = []
    ) throws(CryptoError) -> SecretBytes {
        guard sealed.count >= tagCount else {
            throw CryptoError(.authentication, "the ciphertext is shorter than its tag")
        }
        let length = sealed.count - tagCount
        var tag = Array(sealed[length...])
        let plaintext = try run(key: key, iv: iv, encrypts: false) { context in
            var written: Int32 = 0
            var isDone = false
            let opened = [UInt8](unsafeUninitializedCapacity: length + 1) { buffer, count in
                guard let start = buffer.baseAddress, add(aad, to: context),
                    EVP_CipherUpdate(context, start, &written, sealed, Int32(length)) == 1
                else { return }
                count = length
                // The plaintext is used only when the tag is right. Otherwise it is wiped before anyone reads it.
                isDone =
                    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1
                    && EVP_CipherFinal_ex(context, start + length, &written) == 1
                if !isDone {
                    OPENSSL_cleanse(start, length)
                    count = 0
                }
            }
            return isDone ? opened : nil
        }
        return SecretBytes(taking: plaintext)
    }

    private static func add(_ aad: [UInt8], to context: OpaquePointer) -> Bool {
        var written: Int32 = 0
        return aad.isEmpty || EVP_CipherUpdate(context, nil, &written, aad, Int32(aad.count)) == 1
    }

    private static func run(
        key: borrowing SecretBytes, iv: [UInt8], encrypts: Bool, _ body: (OpaquePointer) -> [UInt8]?
    ) throws(CryptoError) -> [UInt8] {
        let algorithm: Algorithm
        switch key.count {
        case 16: algorithm = .aes128GCM
        case 32: algorithm = .aes256GCM
        default: throw CryptoError(.input, "an AES key has 16 or 32 bytes here, not \(key.count)")
        }
        guard !iv.isEmpty else { throw CryptoError(.input, "GCM needs an IV") }
        return try contexts.withContext { context throws(CryptoError) in
            // The reset wipes the key schedule; an idle context holds no key.
            defer { EVP_CIPHER_CTX_reset(context) }
            let isReady = key.withBytes { key in
                EVP_CipherInit_ex2(context, algorithm.pointer, nil, nil, encrypts ? 1 : 0, nil) == 1
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(iv.count), nil) == 1
                    && EVP_CipherInit_ex2(context, nil, key, iv, encrypts ? 1 : 0, nil) == 1
            }
            guard isReady else { throw .openSSL(.library, "AES-GCM cannot start") }
            guard let output = body(context) else {
                guard encrypts else {
                    ERR_clear_error()
                    throw CryptoError(.authentication, "the ciphertext was changed or belongs to another key")
                }
                throw .openSSL(.library, "AES-GCM failed")
            }
            return output
        }
    }
}
