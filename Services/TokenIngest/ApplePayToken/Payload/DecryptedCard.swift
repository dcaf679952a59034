import OrchardCrypto
import OrchardJSON

/// The content of a token: a card that can be charged once. It is wiped when its owner releases it.
///
/// Card number, cardholder and credential are bytes, never `String`s, because a `String` cannot be wiped. ``lastFour``
/// and ``maskedDescription`` may be shown.
public struct DecryptedCard: ~Copyable, Sendable {
    /// The device account number (or merchant token's number), 8 to 19 ASCII digits.
    public let primaryAccountNumber: SecretBytes
    /// The card's expiry as `YYMMDD`.
    public let expirationDate: String
    /// ISO 4217 numeric code, three digits with leading zeros.
    public let currencyCode: String
    /// The amount the customer agreed to, in minor units of the currency.
    public let transactionAmount: Int64
    /// UTF-8; empty when the token has none.
    public let cardholderName: SecretBytes
    /// The manufacturer of the device, in hexadecimal.
    public let deviceManufacturerIdentifier: String
    /// Proves to the issuer that this device pays this amount.
    public let credential: PaymentCredential
    /// The shares of several merchants; empty when the token pays one.
    public let authenticationResponses: AuthenticationResponses
    /// Identifies a merchant token, for later changes of its card; up to 64 characters.
    public let merchantTokenIdentifier: String?
    /// The appearance and expiry of the card behind a merchant token.
    public let merchantTokenMetadata: JSONValue?

    /// A card as in a token, for callers' own tests; nothing is checked.
    public init(
        primaryAccountNumber: consuming SecretBytes, expirationDate: String, currencyCode: String,
        transactionAmount: Int64, cardholderName: consuming SecretBytes = SecretBytes(),
        deviceManufacturerIdentifier: String = "040010030273", credential: consuming PaymentCredential,
        authenticationResponses: consuming AuthenticationResponses = .none,
        merchantTokenIdentifier: String? = nil, merchantTokenMetadata: JSONValue? = nil
    ) {
        self.primaryAccountNumber = primaryAccountNumber
        self.expirationDate = expirationDate
        self.currencyCode = currencyCode
        self.transactionAmount = transactionAmount
        self.cardholderName = cardholderName
        self.deviceManufacturerIdentifier = deviceManufacturerIdentifier
        self.credential = credential
        self.authenticationResponses = authenticationResponses
        self.merchantTokenIdentifier = merchantTokenIdentifier
        self.merchantTokenMetadata = merchantTokenMetadata
    }

    /// The last four digits, which may be shown.
    public var lastFour: String {
        primaryAccountNumber.withBytes { String(decoding: $0.suffix(4), as: UTF8.self) }
    }

    /// What may be logged: four digits, amount, currency and the kind of credential.
    public var maskedDescription: String {
        "card …\(lastFour), \(transactionAmount) minor units of currency \(currencyCode), \(credential.kind.rawValue)"
    }
}

extension DecryptedCard {
    /// The content under Apple's member names, for tools that explain a token.
    ///
    /// - Parameters:
    ///   - revealing: Shows card number, cardholder, cryptograms, EMV data and PIN. This puts them into ordinary memory
    ///     and on a screen: only at an operator's request, never in a service. Otherwise they are masked.
    public func json(revealing: Bool) -> JSONValue {
        var members = [
            JSONMember("applicationExpirationDate", .string(expirationDate)),
            JSONMember(
                "applicationPrimaryAccountNumber",
                .string(revealing ? primaryAccountNumber.text : "************\(lastFour)")),
            JSONMember("currencyCode", .string(currencyCode)),
            JSONMember("deviceManufacturerIdentifier", .string(deviceManufacturerIdentifier)),
            JSONMember("paymentData", credential.json(revealing: revealing)),
            JSONMember("paymentDataType", .string(credential.kind.rawValue)),
            JSONMember("transactionAmount", .integer(transactionAmount)),
        ]
        if !cardholderName.isEmpty {
            members.append(JSONMember("cardholderName", .string(revealing ? cardholderName.text : mask)))
        }
        if !authenticationResponses.isEmpty {
            let shares = authenticationResponses.shares.map { share in
                JSONValue.object([
                    "authenticationData": .string(revealing ? authenticationResponses.text(of: share) : mask),
                    "merchantIdentifier": .string(share.merchantIdentifier),
                    "transactionAmount": .string(String(share.transactionAmount)),
                ])
            }
            members.append(JSONMember("authenticationResponses", .array(shares)))
        }
        if let merchantTokenIdentifier {
            members.append(JSONMember("merchantTokenIdentifier", .string(merchantTokenIdentifier)))
        }
        if let merchantTokenMetadata { members.append(JSONMember("merchantTokenMetadata", merchantTokenMetadata)) }
        return .object(members)
    }
}

private let mask = "***"

extension PaymentCredential {
    fileprivate func json(revealing: Bool) -> JSONValue {
        var members: [JSONMember] = []
        switch self {
        case .threeDSecure(let credential):
            let text = revealing ? credential.cryptogram.text : mask
            members.append(JSONMember("onlinePaymentCryptogram", .string(text)))
            if let eci = credential.eci { members.append(JSONMember("eciIndicator", .string(eci))) }
        case .emv(let credential):
            members.append(JSONMember("emvData", .string(revealing ? credential.data.text : mask)))
            if !credential.encryptedPIN.isEmpty {
                let text = revealing ? credential.encryptedPIN.text : mask
                members.append(JSONMember("encryptedPINData", .string(text)))
            }
        }
        return .object(members)
    }
}

extension AuthenticationResponses {
    fileprivate func text(of share: Share) -> String {
        withAuthenticationData(of: share) { String(decoding: $0, as: UTF8.self) }
    }
}

extension SecretBytes {
    fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
