import OrchardCrypto

/// The key derivation of ECDH-ES (RFC 7518 section 4.6.2; one round of SP 800-56A section 5.8.1 with SHA-256).
enum ConcatKDF {
    /// A key of `count` bytes, at most 32, for the content encryption `algorithm`.
    static func derive(
        _ count: Int, from secret: borrowing SecretBytes, algorithm: String, apu: [UInt8], apv: [UInt8]
    ) -> SecretBytes {
        precondition(count <= SHA256.count, "one round gives 32 bytes")
        var hasher = SHA256.Hasher()
        hasher.update(number(1))
        secret.withBytes { hasher.update($0) }
        for field in [Array(algorithm.utf8), apu, apv] {
            hasher.update(number(field.count))
            hasher.update(field)
        }
        hasher.update(number(count * 8))
        var key = hasher.finish()
        key.removeLast(SHA256.count - count)
        return SecretBytes(taking: key)
    }

    private static func number(_ value: Int) -> [UInt8] {
        let value = UInt32(value)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
