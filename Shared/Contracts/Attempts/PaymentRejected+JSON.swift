import OrchardJSON

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
