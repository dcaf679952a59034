import OrchardCrypto
import OrchardJSON

/// The content of a token: a card that can be charged once. Wiped when its owner lets go.
///
/// Card number, cardholder and credential are bytes, never `String`s: nobody could wipe those. What may be shown is
/// ``lastFour`` and ``maskedDescription``.
public struct DecryptedCard: ~Copyable, Sendable {
    /// The device account number (or merchant token's number), 8 to 19 ASCII digits.
    public let primaryAccountNumber: SecretBytes
    /// The card's expiry as `YYMMDD`.
    public let expirationDate: String
    /// ISO 4217 numeric code, three digits with leading zeros.
    public let currencyCode: String
    /// The amount the customer agreed to, in minor units of the currency.
    public let transactionAmount: Int64
    /// UTF-8; empty when the token names none.
    public let cardholderName: SecretBytes
    /// The device's maker, in hexadecimal.
    public let deviceManufacturerIdentifier: String
    /// What proves to the issuer that this device pays this amount.
    public let credential: PaymentCredential
    /// Credentials for further merchants of the same payment; usually none.
    public let authenticationResponses: [AuthenticationResponse]
    /// Names a merchant token, for later changes of its card; up to 64 characters.
    public let merchantTokenIdentifier: String?
    /// The card's look and expiry behind a merchant token.
    public let merchantTokenMetadata: JSONValue?

    /// The last four digits, which may be shown.
    public var lastFour: String {
        primaryAccountNumber.withBytes { String(decoding: $0.suffix(4), as: UTF8.self) }
    }

    /// What may be logged: four digits, amount, currency and the kind of credential.
    public var maskedDescription: String {
        "card …\(lastFour), \(transactionAmount) minor units of currency \(currencyCode), \(credential.kind.rawValue)"
    }
}
