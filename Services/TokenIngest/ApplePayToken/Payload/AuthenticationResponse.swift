import OrchardCrypto

/// A further merchant's share of one payment (the request's `multiTokenContexts`).
public final class AuthenticationResponse: Sendable {
    /// The merchant identifier, or its SHA-256 in hexadecimal.
    public let merchantIdentifier: String
    /// The cryptogram, as Apple wrote it.
    public let authenticationData: SecretBytes
    /// The share, as Apple wrote it: minor units in decimal digits.
    public let transactionAmount: String

    init(merchantIdentifier: String, authenticationData: consuming SecretBytes, transactionAmount: String) {
        self.merchantIdentifier = merchantIdentifier
        self.authenticationData = authenticationData
        self.transactionAmount = transactionAmount
    }
}
