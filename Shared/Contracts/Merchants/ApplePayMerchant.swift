/// A merchant's Apple Pay identity.
public struct ApplePayMerchant: Hashable, Sendable {
    /// For example `merchant.com.example.shop`.
    public let merchantIdentifier: String
    /// Payment processing keys; several during a rotation.
    public let keys: [ProcessingKey]

    /// A payment processing key on disk; paths are relative to `merchants.json`. Read by token-ingest alone.
    public struct ProcessingKey: Hashable, Sendable {
        /// Private key, PEM.
        public let key: String
        /// Apple's certificate for it, PEM or DER; without one the merchant identifier stands in for its extension.
        public let certificate: String?
    }
}
