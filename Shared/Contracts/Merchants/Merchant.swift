/// A merchant of `merchants.json`: what all three services know of it.
public struct Merchant: Hashable, Sendable {
    public let id: MerchantID
    /// Shown on the sheet after "Pay".
    public let displayName: String
    /// ISO 3166-1 code of the country where the merchant does business; Apple's `countryCode`.
    public let countryCode: String
    /// Networks that may pay, in the order of preference.
    public let networks: [CardNetwork]
    /// Apple Pay: the merchant identifier and its payment processing keys.
    public let applePay: ApplePayMerchant
    /// Which acquirer takes what, in the order of preference; at most 16.
    public let routes: [AcquirerRoute]
    /// Keys of the shop's servers.
    public let apiKeys: [APIKey]
    /// What the cardholder reads on the statement; for acquirers that send it, none yet.
    public let statementDescriptor: String?
    /// Web origins that may call the services from a browser; for Apple Pay on the web, not used yet.
    public let origins: [String]
    /// The largest amount of one order for each currency, in minor units.
    public let maximumAmounts: [Money]

    /// The limit of one order in `currency`, if there is one.
    public func maximumAmount(in currency: Currency) -> Money? {
        maximumAmounts.first { $0.currency == currency }
    }
}
