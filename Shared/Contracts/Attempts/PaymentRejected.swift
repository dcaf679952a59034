/// token-ingest turned an attempt away (`orchard.payment.rejected.v1` on ``Topic/attempts``): it names an attempt, is never a
/// payment's outcome and is no fact of the journal.
public struct PaymentRejected: Hashable, Sendable {
    public static let type = "orchard.payment.rejected.v1"
    /// Stage and reason are words of so many letters at most, so that nothing else can hide in them.
    static let maximumWord = 64

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

    /// The event's name: the same for every copy.
    public var id: EventID { EventID(of: attempt, transition: 0, type: Self.type) }
}
