/// token-ingest turned an attempt away: it names an attempt and is never a payment's outcome.
public struct PaymentRejected: Hashable, Sendable {
    public let order: OrderID
    public let merchant: MerchantID
    public let attempt: AttemptID
    /// Where it failed: `parse`, `version`, `chain`, `signer`, `signature`, `time`, `key`, `decrypt`, `payload`,
    /// `applicationData`, `amount`, `currency`, `network` …
    public let stage: String
    /// A code for programs, such as `amountDiffers`; never a value from the token.
    public let reason: String

    public init(order: OrderID, merchant: MerchantID, attempt: AttemptID, stage: String, reason: String) {
        self.order = order
        self.merchant = merchant
        self.attempt = attempt
        self.stage = stage
        self.reason = reason
    }
}
