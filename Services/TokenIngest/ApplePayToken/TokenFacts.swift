/// What a token says of itself, as far as it could be read; texts are short and on one line, fit to be logged.
public struct TokenFacts: Hashable, Sendable {
    /// The member `version`.
    public internal(set) var version: String?
    /// The signing time of the CMS signature, in seconds since 1970.
    public internal(set) var signedAt: Int64?
    /// The common name of the certificate that is marked as Apple's signing leaf.
    public internal(set) var leaf: String?
    /// The member `header.transactionId`, 64 lower-case hexadecimal digits.
    public internal(set) var transactionID: String?
    /// The member `header.publicKeyHash`, 32 bytes: names the merchant key the token is for.
    public internal(set) var publicKeyHash: [UInt8]?

    public init(
        version: String? = nil, signedAt: Int64? = nil, leaf: String? = nil, transactionID: String? = nil,
        publicKeyHash: [UInt8]? = nil
    ) {
        self.version = version
        self.signedAt = signedAt
        self.leaf = leaf
        self.transactionID = transactionID
        self.publicKeyHash = publicKeyHash
    }
}
