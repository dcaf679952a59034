import COrchardOpenSSL

/// A reference to an OpenSSL key, private or public.
final class KeyHandle: @unchecked Sendable {
    // @unchecked: the EVP_PKEY does not change after it was made. Operations on it run in their own contexts, and
    // OpenSSL guards what it caches inside (EVP_PKEY(3), openssl-threads(7)).
    let pointer: OpaquePointer
    private let pool: ContextPool?

    /// Takes ownership of one reference; nil when OpenSSL returned none.
    ///
    /// - Parameter pool: the pool that gets the key after its last use; nil: the key is freed.
    init?(owning pointer: OpaquePointer?, of pool: ContextPool? = nil) {
        guard let pointer else { return nil }
        self.pointer = pointer
        self.pool = pool
    }

    deinit {
        if let pool { pool.release(pointer) } else { EVP_PKEY_free(pointer) }
    }

    /// The SubjectPublicKeyInfo of the public half in DER.
    var subjectPublicKeyInfo: [UInt8] {
        DER.encode { i2d_PUBKEY(pointer, $0) }
    }

    /// The private key in PKCS#8 PEM, which is as secret as the key.
    var pem: SecretBytes {
        PEM.writeSecret { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// A pool of contexts on this key, each prepared by `prepare`.
    func pool(_ prepare: @escaping @Sendable (OpaquePointer) -> Bool) -> ContextPool {
        ContextPool(
            { [self] in
                guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return nil }
                if prepare(context) { return context }
                EVP_PKEY_CTX_free(context)
                return nil
            }, free: { EVP_PKEY_CTX_free($0) })
    }
}

extension ContextPool {
    /// Runs an operation of the form `operation(context, output, &count, input, inputCount)` whose result has at most
    /// `capacity` bytes.
    func output(
        upTo capacity: Int, for input: [UInt8], _ code: CryptoError.Code, _ reason: String,
        _ operation: (
            OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafePointer<UInt8>?, Int
        )
            -> Int32
    ) throws(CryptoError) -> [UInt8] {
        try withContext { context throws(CryptoError) in
            var isDone = false
            let result = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                count = capacity
                isDone = operation(context, buffer.baseAddress, &count, input, input.count) == 1
                if !isDone { count = 0 }
            }
            guard isDone else { throw .openSSL(code, reason) }
            return result
        }
    }
}

/// Algorithms fetched from OpenSSL's providers once per process; a fetch at each use costs as much as a small digest.
struct Algorithm: @unchecked Sendable {
    // @unchecked: fetched EVP_MD and EVP_CIPHER objects are immutable and reference counted (EVP_MD_fetch(3)).
    let pointer: OpaquePointer?

    static let sha256 = Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))
    static let aes128GCM = Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-128-GCM", nil))
    static let aes256GCM = Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
}
