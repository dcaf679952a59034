/// The keys that may open a token, several at once: while a certificate is renewed, tokens for old and new come in.
public struct MerchantKeyRing: Sendable {
    private let keys: [[UInt8]: MerchantKey]

    /// A ring; of keys with the same public key the last one counts.
    public init(_ keys: [MerchantKey]) {
        self.keys = Dictionary(keys.map { ($0.publicKeyHash, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// All keys of several rings, for tools that open any merchant's token.
    public init(merging rings: some Sequence<MerchantKeyRing>) {
        self.init(rings.flatMap(\.keys.values))
    }

    public var isEmpty: Bool { keys.isEmpty }
    /// The hashes of the public keys, 32 bytes each.
    public var publicKeyHashes: Set<[UInt8]> { Set(keys.keys) }

    /// The key whose public key has that SHA-256.
    public subscript(publicKeyHash: [UInt8]) -> MerchantKey? { keys[publicKeyHash] }
}
