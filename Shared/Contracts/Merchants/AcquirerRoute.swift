/// An acquirer that takes a merchant's charges.
public struct AcquirerRoute: Hashable, Sendable {
    /// `unionpay`.
    public let acquirer: String
    /// The merchant's number there (UnionPay `merId`, 15 characters).
    public let account: String
    /// The currencies it takes.
    public let currencies: [Currency]
    /// The kinds of card data it takes.
    public let paymentData: [PaymentDataType]
    /// The merchant's signing key there, PEM; path relative to `merchants.json`. Read by charge-gateway alone.
    public let signingKey: String
    /// The certificate of the signing key, PEM (UnionPay `certId` is its serial number).
    public let signingCertificate: String
}
