import OrchardCrypto

/// A key of a shop's server, kept as a hash: the file that holds it lets nobody in.
public struct APIKey: Hashable, Sendable {
    /// Names the key in logs.
    public let id: String
    /// SHA-256 of the key.
    let hash: [UInt8]

    /// Whether this is the key with the SHA-256 `digest`, in a time that does not depend on where they differ.
    func matches(_ digest: [UInt8]) -> Bool { constantTimeEquals(digest, hash) }
}
