import Crypto

/// A key of a shop's server, kept as a hash: the file that holds it lets nobody in.
public struct APIKey: Hashable, Sendable {
    /// Names the key in logs.
    public let id: String
    /// SHA-256 of the key.
    let hash: [UInt8]

    /// Whether `key` is this key, in a time that does not depend on where they differ.
    public func matches(_ key: String) -> Bool {
        constantTimeEquals(SHA256.hash(Array(key.utf8)), hash)
    }
}
