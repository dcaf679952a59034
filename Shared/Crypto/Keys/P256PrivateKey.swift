import COrchardOpenSSL

/// A private key on P-256: signs with ECDSA and SHA-256, agrees on secrets with ECDH.
public final class P256PrivateKey: Sendable {
    private static let generating = ContextPool(
        {
            let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
            if EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1 { return context }
            EVP_PKEY_CTX_free(context)
            return nil
        }, free: { EVP_PKEY_CTX_free($0) })

    let handle: KeyHandle
    public let publicKey: P256PublicKey
    private let signing: ContextPool
    private let deriving: ContextPool

    private init(_ handle: KeyHandle) throws(CryptoError) {
        self.handle = handle
        publicKey = try P256PublicKey(handle)
        signing = handle.pool { EVP_PKEY_sign_init($0) == 1 }
        deriving = handle.pool { EVP_PKEY_derive_init($0) == 1 }
    }

    /// A key from PEM, PKCS#8 or SEC 1, not encrypted.
    public convenience init(pem: borrowing SecretBytes) throws(CryptoError) {
        try self.init(PEM.privateKey(pem))
    }

    /// A key from its number in 32 bytes, as in the member `d` of a JWK (RFC 7518 section 6.2.2).
    public convenience init(scalar: borrowing SecretBytes) throws(CryptoError) {
        guard scalar.count == 32 else { throw CryptoError(.key, "the private number of a P-256 key has 32 bytes") }
        // ECPrivateKey (RFC 5915) without the public half, which OpenSSL computes.
        var sequence = SecretBytes(copying: [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20])
        scalar.withBytes { sequence.append(contentsOf: $0) }
        sequence.append(contentsOf: [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
        let pointer = sequence.withBytes { der in
            DER.decode(der, { d2i_PrivateKey(EVP_PKEY_EC, nil, $0, $1) }, free: { EVP_PKEY_free($0) })
        }
        guard let handle = KeyHandle(owning: pointer) else {
            throw .openSSL(.key, "this is no private number of a P-256 key")
        }
        try self.init(handle)
    }

    /// A fresh key.
    public static func generate() throws(CryptoError) -> P256PrivateKey {
        let pointer = try generating.withContext { context throws(CryptoError) -> OpaquePointer? in
            var key: OpaquePointer?
            guard EVP_PKEY_generate(context, &key) == 1 else { throw .openSSL(.library, "no key was generated") }
            return key
        }
        guard let handle = KeyHandle(owning: pointer) else { throw CryptoError(.library, "no key was generated") }
        return try P256PrivateKey(handle)
    }

    /// The key in PKCS#8 PEM, which is as secret as the key.
    public var pem: SecretBytes { handle.pem }

    /// The private number in 32 bytes.
    public func scalar() throws(CryptoError) -> SecretBytes {
        var number: OpaquePointer?
        defer { BN_clear_free(number) }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard EVP_PKEY_get_bn_param(handle.pointer, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1,
            BN_bn2binpad(number, &bytes, 32) == 32
        else { throw .openSSL(.library, "the key does not give its number") }
        return SecretBytes(taking: bytes)
    }

    /// The signature r ‖ s, 64 bytes, over SHA-256 of the message (RFC 7518 section 3.4).
    public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let raw = ECDSASignature.raw(fromDER: try derSignature(of: message)) else {
            throw CryptoError(.library, "OpenSSL made no ECDSA signature")
        }
        return raw
    }

    /// The signature in DER (RFC 3279) over SHA-256 of the message.
    public func derSignature(of message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try signing.output(upTo: 80, for: SHA256.hash(message), .library, "ECDSA failed", EVP_PKEY_sign)
    }

    /// The shared secret Z of ECDH (SP 800-56A): the x coordinate, always 32 bytes.
    public func sharedSecret(with peer: P256PublicKey) throws(CryptoError) -> SecretBytes {
        let secret = try deriving.withContext { context throws(CryptoError) -> [UInt8] in
            var isDone = false
            // The peer was checked to be on the curve when it was imported, and P-256 has no other subgroup.
            let isReady = EVP_PKEY_derive_set_peer_ex(context, peer.handle.pointer, 0) == 1
            let secret = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
                count = 32
                isDone = isReady && EVP_PKEY_derive(context, buffer.baseAddress, &count) == 1 && count == 32
                if !isDone { count = 0 }
            }
            guard isDone else { throw .openSSL(.key, "no secret can be agreed on with this key") }
            return secret
        }
        return SecretBytes(taking: secret)
    }
}
