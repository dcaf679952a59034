import OrchardCrypto

/// Links the rows of a partition: `h_n = SHA-256(0x01 ‖ h_{n-1} ‖ bytes_n)`, `h_0` = 32 zero bytes.
///
/// To change, swap or remove a row changes every later hash. Because of the leading 0x01, a link can never be mistaken
/// for a leaf (RFC 6962 2.1 does the same).
public struct HashChain: Hashable, Sendable {
    /// The hash before the first row.
    public static let genesis = [UInt8](repeating: 0, count: 32)

    /// The newest hash.
    public private(set) var head: [UInt8]

    /// A chain that continues after `head`.
    public init(head: [UInt8] = Self.genesis) {
        precondition(head.count == 32, "a link is 32 bytes")
        self.head = head
    }

    /// Adds a row's canonical bytes and returns the new head.
    public mutating func append(_ bytes: [UInt8]) -> [UInt8] {
        var hasher = SHA256.Hasher()
        hasher.update(Self.prefix)
        hasher.update(head)
        hasher.update(bytes)
        head = hasher.finish()
        return head
    }

    private static let prefix: [UInt8] = [0x01]
}
