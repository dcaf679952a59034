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
            case "reason": reason = try reader.string(upTo: 200)
            case "stage": stage = try reader.string(upTo: 64)
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            attempt: try reader.required(attempt, "attemptId"), stage: try reader.required(stage, "stage"),
            reason: try reader.required(reason, "reason"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("attemptId", attempt.description)
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("reason", reason)
        object.member("stage", stage)
    }
}
