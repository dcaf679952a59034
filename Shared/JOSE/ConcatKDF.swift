import OrchardCrypto

/// The key derivation of ECDH-ES (RFC 7518 section 4.6.2; one round of SP 800-56A section 5.8.1 with SHA-256).
enum ConcatKDF {
    /// A key of `count` bytes, at most 32, for the content encryption `algorithm`.
    static func derive(
        _ count: Int, from secret: borrowing SecretBytes, algorithm: String, apu: [UInt8], apv: [UInt8]
    ) -> SecretBytes {
        precondition(count <= SHA256.count, "one round gives 32 bytes")
        var hasher = SHA256.Hasher()
        hasher.update([0, 0, 0, 1])
        secret.withBytes { hasher.update($0) }
        var info: [UInt8] = []
        info.reserveCapacity(128)
        append(algorithm.utf8.count, to: &info)
        info += algorithm.utf8
        for field in [apu, apv] {
            append(field.count, to: &info)
            info += field
        }
        append(count * 8, to: &info)
        hasher.update(info)
        var key = hasher.finish()
        key.removeLast(SHA256.count - count)
        return SecretBytes(taking: key)
    }

    private static func append(_ value: Int, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(value).bigEndian) { bytes += $0 }
    }
}
