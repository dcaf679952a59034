import COrchardOpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// Bytes of a digest.
    public static let count = 32

    /// Started contexts: none keeps anything of earlier input, which may be a key.
    fileprivate static let contexts = ContextPool(
        {
            let context = EVP_MD_CTX_new()
            if EVP_DigestInit_ex2(context, Algorithm.sha256.pointer, nil) == 1 { return context }
            EVP_MD_CTX_free(context)
            return nil
        }, free: { EVP_MD_CTX_free($0) })

    /// The digest of the bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hasher = Hasher()
        hasher.update(bytes)
        return hasher.finish()
    }

    /// The digest of a text's UTF-8.
    public static func hash(_ text: String) -> [UInt8] {
        hash(Array(text.utf8))
    }

    /// A digest of bytes that arrive in pieces.
    public struct Hasher: ~Copyable {
        private let context: OpaquePointer

        public init() {
            // A digest never fails because of its input, only without memory or without OpenSSL's provider.
            guard let context = SHA256.contexts.acquire() else { preconditionFailure("OpenSSL has no SHA-256") }
            self.context = context
        }

        deinit {
            precondition(EVP_DigestInit_ex2(context, nil, nil) == 1, "SHA-256 failed")
            SHA256.contexts.release(context)
        }

        /// Adds the next piece.
        public mutating func update(_ bytes: [UInt8]) {
            precondition(EVP_DigestUpdate(context, bytes, bytes.count) == 1, "SHA-256 failed")
        }

        /// Adds the next piece.
        public mutating func update(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes {
                precondition(EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1, "SHA-256 failed")
            }
        }

        /// The digest of all pieces.
        public consuming func finish() -> [UInt8] {
            // Not `unsafeUninitializedCapacity`, which is generic: it costs more than to hash a block.
            var digest = [UInt8](repeating: 0, count: SHA256.count)
            precondition(EVP_DigestFinal_ex(context, &digest, nil) == 1, "SHA-256 failed")
            return digest
        }
    }
}
