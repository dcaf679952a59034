import OrchardCrypto

/// The merchants of `merchants.json`, the one file that tells all three services about them.
public struct MerchantRegistry: Hashable, Sendable {
    /// In the order of the file.
    public let merchants: [Merchant]
    private let byID: [MerchantID: Merchant]

    init(merchants: [Merchant]) {
        self.merchants = merchants
        byID = Dictionary(merchants.map { ($0.id, $0) }) { first, _ in first }
    }

    public subscript(id: MerchantID) -> Merchant? { byID[id] }

    /// The merchant whose server shows `key`, and the name of the key.
    ///
    /// Every key is compared, so that the time tells nothing.
    public func merchant(forAPIKey key: String) -> (merchant: Merchant, keyID: String)? {
        let digest = SHA256.hash(Array(key.utf8))
        var found: (Merchant, String)?
        for merchant in merchants {
            for candidate in merchant.apiKeys where candidate.matches(digest) {
                found = found ?? (merchant, candidate.id)
            }
        }
        return found
    }
}
