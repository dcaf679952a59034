import OrchardJSON

/// The acquirer's file tells of a dispute: a cardholder or an issuer wants money back.
public struct DisputeOpened: Hashable, Sendable {
    /// The order; the day's ``SettlementDay/subject`` where the gateway knows no operation of that number.
    public let order: OrderID
    public let day: SettlementDay
    /// Our operation; nil where the gateway knows none of that number.
    public let operation: SettledOperation?
    /// The acquirer's number of the disputed transaction.
    public let serial: String
    public let amount: Money
    /// The acquirer's code of the dispute (UnionPay ZME, column 1).
    public let code: String
    /// What the acquirer owes for it in minor units: negative when it takes money back (UnionPay ZME, column 16), 0 when it
    /// only tells of the dispute. It is not in the file's sums.
    public let net: Int64

    public init(
        order: OrderID, day: SettlementDay, operation: SettledOperation?, serial: String, amount: Money, code: String,
        net: Int64 = 0
    ) {
        (self.order, self.day, self.operation) = (order, day, operation)
        (self.serial, self.amount, self.code, self.net) = (serial, amount, code, net)
    }

    /// A transaction may be disputed more than once, each time with another code.
    public var id: EventID { day.eventID("dispute", "\(code) \(serial)") }
}

extension DisputeOpened: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var day = SettlementDay.Reader()
        var (order, payment, operation): (OrderID?, PaymentID?, OperationID?)
        var (serial, amount, code, net): (String?, Money?, String?, Int64?)
        try reader.object { reader, name throws(JSONError) in
            if try day.take(name, &reader) { return }
            switch name {
            case "amount": amount = try Money(json: &reader)
            case "code": code = try reader.string(upTo: 16)
            case "net": net = try reader.int64()
            case "operationId": operation = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "paymentId": payment = try reader.identifier()
            case "serial": serial = try reader.string(upTo: 64)
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), day: try day.day(reader),
            operation: try SettledOperation(payment: payment, operation: operation, reader),
            serial: try reader.required(serial, "serial"), amount: try reader.required(amount, "amount"),
            code: try reader.required(code, "code"), net: try reader.required(net, "net"))
        guard operation != nil || self.order == self.day.subject else {
            throw reader.error(.value, "a dispute without an operation belongs to its day")
        }
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("account", day.account)
        object.member("acquirer", day.acquirer)
        object.object("amount") { amount.write(to: &$0) }
        object.member("code", code)
        object.member("date", day.date.description)
        object.member("merchantId", day.merchant.description)
        object.member("net", net)
        object.member("operationId", operation?.operation.description)
        object.member("orderId", order.description)
        object.member("paymentId", operation?.payment.description)
        object.member("serial", serial)
    }
}
