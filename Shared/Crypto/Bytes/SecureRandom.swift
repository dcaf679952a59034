import COrchardOpenSSL

/// Random bytes for keys, nonces and identifiers.
public enum SecureRandom {
    /// `count` bytes from OpenSSL's generator. Stops the program when the system has no randomness.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "the system gives no random bytes")
            written = count
        }
    }
}
