import OrchardJSON

/// token-ingest rejected an attempt (`orchard.payment.rejected.v1` on ``Topic/attempts``): it names an attempt, is
/// never a payment's outcome and is no fact of the journal.
public struct PaymentRejected: Hashable, Sendable {
    public static let type = "orchard.payment.rejected.v1"
    /// Stage and reason have at most so many letters, so that they can carry nothing else.
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

    /// The event's identifier: the same for every copy.
    public var id: EventID { EventID(of: attempt, transition: 0, type: Self.type) }
}

extension PaymentRejected: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, merchant, attempt): (OrderID?, MerchantID?, AttemptID?)
        var (stage, reason): (String?, String?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "attemptId": attempt = try reader.identifier()
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "reason": reason = try Self.word(&reader)
            case "stage": stage = try Self.word(&reader)
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            attempt: try reader.required(attempt, "attemptId"), stage: try reader.required(stage, "stage"),
            reason: try reader.required(reason, "reason"))
    }

    private static func word(_ reader: inout JSONReader) throws(JSONError) -> String {
        let text = try reader.string(upTo: maximumWord)
        let isWord = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        guard isWord, !text.isEmpty else { throw reader.error(.value, "a word of letters is expected") }
        return text
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("attemptId", attempt.description)
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("reason", reason)
        object.member("stage", stage)
    }
}
