import COrchardOpenSSL

/// A public key on P-256 (NIST curve secp256r1): verifies ECDSA with SHA-256, and is the peer of a key agreement.
public final class P256PublicKey: Sendable {
    /// SubjectPublicKeyInfo of every uncompressed P-256 key up to its point (RFC 5480).
    static let infoPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// A key from which others copy the curve: importing a point into a copy is three times faster than from
    /// parameters.
    private static let template: KeyHandle? = {
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_paramgen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_paramgen(context, &key) == 1
        else { return nil }
        return KeyHandle(owning: key)
    }()

    /// Unused keys that can get another point: making one costs five times as much as importing its point. A context
    /// that still has one as its last peer gets a new peer before it is used.
    private static let unused = ContextPool(
        { template.flatMap { EVP_PKEY_dup($0.pointer) } }, free: { EVP_PKEY_free($0) })

    let handle: KeyHandle
    /// The point as `04 ‖ x ‖ y`, 65 bytes.
    public let uncompressed: [UInt8]
    private let verifying: ContextPool

    /// A key from its point, 65 bytes that begin with 04.
    ///
    /// - Throws: ``CryptoError`` `.key` for other forms (compressed, hybrid, infinity) and for points off the curve.
    public init(uncompressed point: [UInt8]) throws(CryptoError) {
        guard point.count == 65, point[0] == 0x04 else {
            throw CryptoError(.key, "a P-256 point has 65 bytes and begins with 04")
        }
        guard let key = Self.unused.acquire() else { throw .openSSL(.library, "OpenSSL has no P-256") }
        // Also checks that the point is on the curve. After a refused point the state of the key is unknown: it is not
        // kept.
        guard EVP_PKEY_set1_encoded_public_key(key, point, point.count) == 1,
            let handle = KeyHandle(owning: key, of: Self.unused)
        else {
            EVP_PKEY_free(key)
            throw .openSSL(.key, "the point is not on P-256")
        }
        self.handle = handle
        uncompressed = point
        verifying = handle.pool { EVP_PKEY_verify_init($0) == 1 }
    }

    /// The public half of a key that OpenSSL holds already.
    init(_ handle: KeyHandle) throws(CryptoError) {
        var name = [CChar](repeating: 0, count: 32)
        var point: UnsafeMutablePointer<UInt8>?
        guard EVP_PKEY_get_group_name(handle.pointer, &name, name.count, nil) == 1,
            strcmp(name, SN_X9_62_prime256v1) == 0
        else { throw .openSSL(.key, "this is no key on P-256") }
        let count = EVP_PKEY_get1_encoded_public_key(handle.pointer, &point)
        defer { orchard_free(point) }
        self.handle = handle
        uncompressed = Array(UnsafeBufferPointer(start: point, count: count))
        guard uncompressed.count == 65 else { throw .openSSL(.key, "the key has no public half") }
        verifying = handle.pool { EVP_PKEY_verify_init($0) == 1 }
    }

    /// A key from its SubjectPublicKeyInfo in DER: named curve, uncompressed point, 91 bytes, nothing else.
    public convenience init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
        guard der.count == 91, der.starts(with: Self.infoPrefix) else {
            throw CryptoError(.key, "this is not the SubjectPublicKeyInfo of an uncompressed key on P-256")
        }
        try self.init(uncompressed: Array(der[Self.infoPrefix.count...]))
    }

    /// The affine coordinates, 32 bytes each.
    public var x: [UInt8] { Array(uncompressed[1..<33]) }
    public var y: [UInt8] { Array(uncompressed[33...]) }

    /// The SubjectPublicKeyInfo in DER, 91 bytes.
    public var subjectPublicKeyInfo: [UInt8] { Self.infoPrefix + uncompressed }

    /// The SubjectPublicKeyInfo in PEM.
    public var pem: String { PEM.write { PEM_write_bio_PUBKEY($0, handle.pointer) } }

    /// Whether `signature`, the 64 bytes r ‖ s (RFC 7518 section 3.4), is this key's over SHA-256 of the message.
    ///
    /// ECDSA accepts (r, n − s) besides (r, s): a signature's bytes are no identity.
    public func verify(signature: [UInt8], message: [UInt8]) -> Bool {
        guard signature.count == 64 else { return false }
        return verify(derSignature: ECDSASignature.der(fromRaw: signature), message: message)
    }

    /// Whether `derSignature`, a DER ECDSA-Sig-Value (RFC 3279), is this key's over SHA-256 of the message.
    public func verify(derSignature: [UInt8], message: [UInt8]) -> Bool {
        verify(derSignature: derSignature, digest: SHA256.hash(message))
    }

    /// Whether `derSignature` is this key's over the digest.
    public func verify(derSignature: [UInt8], digest: [UInt8]) -> Bool {
        guard derSignature.count <= ECDSASignature.maximumDERCount else { return false }
        let isRight = try? verifying.withContext { context throws(CryptoError) in
            EVP_PKEY_verify(context, derSignature, derSignature.count, digest, digest.count) == 1
        }
        if isRight != true { ERR_clear_error() }
        return isRight ?? false
    }
}

extension P256PublicKey: Equatable {
    public static func == (left: P256PublicKey, right: P256PublicKey) -> Bool {
        left.uncompressed == right.uncompressed
    }
}
