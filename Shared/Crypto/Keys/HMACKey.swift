import COrchardOpenSSL

/// A secret that two sides share, for HMAC-SHA256 (RFC 2104).
public final class HMACKey: Sendable {
    private let bytes: SecretBytes

    /// - Parameter bytes: at least one.
    public init(_ bytes: consuming SecretBytes) {
        precondition(!bytes.isEmpty, "an HMAC key has bytes")
        self.bytes = bytes
    }

    /// The code that proves to a holder of the secret that `message` is as it was: 32 bytes.
    public func authenticate(_ message: [UInt8]) -> [UInt8] {
        bytes.withBytes { key in
            [UInt8](unsafeUninitializedCapacity: SHA256.count) { buffer, count in
                let code = EVP_Q_mac(
                    nil, "HMAC", nil, "SHA256", nil, key, key.count, message, message.count, buffer.baseAddress,
                    SHA256.count, &count)
                // HMAC never fails because of its input, only without memory or without OpenSSL's provider.
                precondition(code != nil && count == SHA256.count, "HMAC-SHA256 failed")
            }
        }
    }
}
