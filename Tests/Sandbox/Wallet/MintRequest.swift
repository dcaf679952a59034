import Foundation

/// The merchant's request and the card's answer.
public struct MintRequest: Sendable {
    /// Apple's merchant identifier.
    public var merchant: String
    /// Minor units: fen, cents, whole yen.
    public var amount: Int64
    /// Three letters of ISO 4217.
    public var currency: String
    public var scheme: Wallet.Scheme = .ec
    public var content: Wallet.Content = .threeDSecure
    public var network: Wallet.Network = .chinaUnionPay
    /// The bytes of the request's `applicationData`; the token carries their SHA-256.
    public var applicationData: [UInt8]?
    /// Apple's signing time, seconds since 1970.
    public var signedAt: Int64
    /// 32 bytes; random when nil.
    public var transactionID: [UInt8]?
    /// Which of the merchant's keys to encrypt for.
    public var generation = 1
    /// The device card number; made up when nil.
    public var accountNumber: String?
    public var cardholderName: String?
    /// What the device calls the card; network and last four digits when nil.
    public var displayName: String?
    /// `paymentMethod.type`, which nobody signs: credit, debit, prepaid or store.
    public var type = "debit"
    /// Whether digest algorithms carry NULL parameters, as Apple's did until 2022.
    public var hasNullParameters = false
    /// Whether the signature has CMSAlgorithmProtection, as Apple's since 2017.
    public var hasAlgorithmProtection = true

    public init(
        merchant: String, amount: Int64, currency: String = "CNY",
        signedAt: Int64 = Int64(Date().timeIntervalSince1970)
    ) {
        self.merchant = merchant
        self.amount = amount
        self.currency = currency
        self.signedAt = signedAt
    }
}
