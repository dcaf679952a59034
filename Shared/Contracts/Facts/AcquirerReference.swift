import OrchardJSON

/// The key of an operation at the acquirer, with which the acquirer executes it at most once.
public struct AcquirerReference: Hashable, Sendable {
    /// `unionpay`.
    public let acquirer: String
    /// The merchant's number at the acquirer (UnionPay `merId`).
    public let account: String
    /// The order number at the acquirer (UnionPay `orderId`): a function of payment id and operation.
    public let orderNumber: String
    /// The transaction time (UnionPay `txnTime`): Apple's signing time of the token.
    public let time: Timestamp

    public init(acquirer: String, account: String, orderNumber: String, time: Timestamp) {
        self.acquirer = acquirer
        self.account = account
        self.orderNumber = orderNumber
        self.time = time
    }
}

extension AcquirerReference: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (acquirer, account, orderNumber, time): (String?, String?, String?, Timestamp?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "account": account = try reader.string(upTo: 64)
            case "acquirer": acquirer = try reader.string(upTo: 64)
            case "orderNumber": orderNumber = try reader.string(upTo: 64)
            case "time": time = try reader.timestamp()
            default: try reader.skip()
            }
        }
        self.init(
            acquirer: try reader.required(acquirer, "acquirer"), account: try reader.required(account, "account"),
            orderNumber: try reader.required(orderNumber, "orderNumber"), time: try reader.required(time, "time"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("account", account)
        object.member("acquirer", acquirer)
        object.member("orderNumber", orderNumber)
        object.member("time", time.description)
    }
}
