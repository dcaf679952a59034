import COrchardOpenSSL

/// AES in Galois/counter mode, the writing side only.
public enum AuthenticatedCipher {
    /// Ciphertext followed by the 16-byte tag; AES-128 or AES-256 by the key's length, an IV of any length.
    public static func seal(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) throws(PKIError) -> [UInt8] {
        let context = try require(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        defer { EVP_CIPHER_CTX_free(context) }
        let cipher = key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        precondition(key.count == 16 || key.count == 32, "an AES key has 16 or 32 bytes here")
        try require(EVP_EncryptInit_ex(context, cipher, nil, nil, nil), "EVP_EncryptInit_ex")
        try require(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(iv.count), nil), "EVP_CTRL_AEAD_SET_IVLEN")
        try require(EVP_EncryptInit_ex(context, nil, nil, key, iv), "EVP_EncryptInit_ex")
        var sealed = [UInt8](repeating: 0, count: plaintext.count)
        var written: Int32 = 0
        try require(
            EVP_EncryptUpdate(context, &sealed, &written, plaintext, Int32(plaintext.count)), "EVP_EncryptUpdate")
        var tag = [UInt8](repeating: 0, count: 16)
        try require(EVP_EncryptFinal_ex(context, &tag, &written), "EVP_EncryptFinal_ex")
        try require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag), "EVP_CTRL_AEAD_GET_TAG")
        return sealed + tag
    }
}
