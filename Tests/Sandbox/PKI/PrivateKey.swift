import COrchardOpenSSL

/// A private key of the sandbox: throw-away, never one that protects anything.
public final class PrivateKey: @unchecked Sendable {
    // @unchecked: the EVP_PKEY is not changed after it was made, and each operation uses a context of its own.
    let pointer: OpaquePointer

    /// What kind of key to make.
    public enum Kind: Sendable {
        case p256, p384, rsa2048
    }

    /// Makes a new key.
    public init(_ kind: Kind) throws(PKIError) {
        let name = kind == .rsa2048 ? "RSA" : "EC"
        let context = try require(EVP_PKEY_CTX_new_from_name(nil, name, nil), "EVP_PKEY_CTX_new_from_name")
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        switch kind {
        case .p256: try require(EVP_PKEY_CTX_set_group_name(context, "P-256"), "EVP_PKEY_CTX_set_group_name")
        case .p384: try require(EVP_PKEY_CTX_set_group_name(context, "P-384"), "EVP_PKEY_CTX_set_group_name")
        case .rsa2048: try require(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048), "EVP_PKEY_CTX_set_rsa_keygen_bits")
        }
        var key: OpaquePointer?
        try require(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
        pointer = try require(key, "EVP_PKEY_generate")
    }

    /// Reads a PKCS #8 or traditional key.
    public init(pem: String) throws(PKIError) {
        let der = try PEM.decode(pem)
        pointer = try der.withUnsafeBufferPointer { bytes throws(PKIError) in
            var start = bytes.baseAddress
            return try require(d2i_AutoPrivateKey(nil, &start, bytes.count), "d2i_AutoPrivateKey")
        }
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The key as PKCS #8, unencrypted.
    public var pem: String {
        get throws(PKIError) {
            let wrapped = try require(EVP_PKEY2PKCS8(pointer), "EVP_PKEY2PKCS8")
            defer { PKCS8_PRIV_KEY_INFO_free(wrapped) }
            return PEM.encode("PRIVATE KEY", try encoded { i2d_PKCS8_PRIV_KEY_INFO(wrapped, $0) })
        }
    }

    public var publicKey: PublicKey { PublicKey(sharing: pointer) }

    /// Whether it is an RSA key; otherwise it is an elliptic curve key.
    public var isRSA: Bool { EVP_PKEY_get_base_id(pointer) == EVP_PKEY_RSA }

    /// An ECDSA signature in DER, or RSASSA-PKCS1-v1_5.
    public func sign(_ message: [UInt8], digest: Digest = .sha256) throws(PKIError) -> [UInt8] {
        let context = try require(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        defer { EVP_MD_CTX_free(context) }
        try require(EVP_DigestSignInit(context, nil, digest.algorithm, nil, pointer), "EVP_DigestSignInit")
        var count = 0
        try require(EVP_DigestSign(context, nil, &count, message, message.count), "EVP_DigestSign")
        var signature = [UInt8](repeating: 0, count: count)
        try require(EVP_DigestSign(context, &signature, &count, message, message.count), "EVP_DigestSign")
        return Array(signature.prefix(count))
    }

    /// The X coordinate of the ECDH point, leading zeros kept.
    public func sharedSecret(with peer: PublicKey) throws(PKIError) -> [UInt8] {
        let context = try require(EVP_PKEY_CTX_new(pointer, nil), "EVP_PKEY_CTX_new")
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_derive_init(context), "EVP_PKEY_derive_init")
        try require(EVP_PKEY_derive_set_peer(context, peer.pointer), "EVP_PKEY_derive_set_peer")
        var count = 0
        try require(EVP_PKEY_derive(context, nil, &count), "EVP_PKEY_derive")
        var secret = [UInt8](repeating: 0, count: count)
        try require(EVP_PKEY_derive(context, &secret, &count), "EVP_PKEY_derive")
        return Array(secret.prefix(count))
    }

    /// Undoes RSAES-PKCS1-v1_5, as ACP encrypts card numbers.
    public func decryptPKCS1(_ ciphertext: [UInt8]) throws(PKIError) -> [UInt8] {
        let context = try require(EVP_PKEY_CTX_new(pointer, nil), "EVP_PKEY_CTX_new")
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_decrypt_init(context), "EVP_PKEY_decrypt_init")
        try require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING), "EVP_PKEY_CTX_set_rsa_padding")
        var count = Int(EVP_PKEY_get_size(pointer))
        var plaintext = [UInt8](repeating: 0, count: count)
        try require(EVP_PKEY_decrypt(context, &plaintext, &count, ciphertext, ciphertext.count), "EVP_PKEY_decrypt")
        return Array(plaintext.prefix(count))
    }
}
