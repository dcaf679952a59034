/// A token and its contents.
public struct MintedToken: Sendable {
    /// The PKPaymentToken as JSON.
    public let json: [UInt8]
    /// The header's transactionId, lower-case hexadecimal.
    public let transactionID: String
    /// The payload before encryption, JSON.
    public let payload: [UInt8]
    /// The device card number.
    public let accountNumber: String
    /// Everything that must never appear outside the token: card number, cryptogram, chip data and PIN.
    public let secrets: [String]

    public init(json: [UInt8], transactionID: String, payload: [UInt8], accountNumber: String, secrets: [String]) {
        self.json = json
        self.transactionID = transactionID
        self.payload = payload
        self.accountNumber = accountNumber
        self.secrets = secrets
    }
}
