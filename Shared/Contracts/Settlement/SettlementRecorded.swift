import OrchardJSON

/// A row of the acquirer's file of a day: what it did and what it owes for it.
public struct SettlementRecorded: Hashable, Sendable {
    /// The order; the day's ``SettlementDay/subject`` where the gateway knows no operation of that number.
    public let order: OrderID
    public let day: SettlementDay
    /// Our operation; nil where the gateway knows none of that number.
    public let operation: SettledOperation?
    public let kind: OperationKind
    /// The acquirer's number of the transaction (UnionPay `queryId`), once in a file.
    public let serial: String
    /// Our order number in the row (UnionPay `orderId`).
    public let orderNumber: String
    /// More than zero.
    public let amount: Money
    /// The acquirer's fee in minor units: positive when it keeps it, negative when it gives it back.
    public let fee: Int64
    /// What the acquirer owes for the row in minor units; negative when the merchant owes it.
    public let net: Int64

    public init(
        order: OrderID, day: SettlementDay, operation: SettledOperation?, kind: OperationKind, serial: String,
        orderNumber: String, amount: Money, fee: Int64, net: Int64
    ) {
        self.order = order
        self.day = day
        self.operation = operation
        self.kind = kind
        (self.serial, self.orderNumber) = (serial, orderNumber)
        (self.amount, self.fee, self.net) = (amount, fee, net)
    }

    public var id: EventID { day.eventID("settlement row", serial) }
}

/// An operation of ours that a row of a settlement file is about.
public struct SettledOperation: Hashable, Sendable {
    public let payment: PaymentID
    public let operation: OperationID

    public init(payment: PaymentID, operation: OperationID) {
        self.payment = payment
        self.operation = operation
    }

    /// nil where neither was read: the gateway knows no operation.
    init?(payment: PaymentID?, operation: OperationID?, _ reader: JSONReader) throws(JSONError) {
        switch (payment, operation) {
        case (let payment?, let operation?): self.init(payment: payment, operation: operation)
        case (nil, nil): return nil
        default: throw reader.error(.value, "paymentId and operationId come together")
        }
    }
}

extension SettlementRecorded: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var day = SettlementDay.Reader()
        var (order, payment, operation): (OrderID?, PaymentID?, OperationID?)
        var (kind, serial, orderNumber): (OperationKind?, String?, String?)
        var (amount, fee, net): (Money?, Int64?, Int64?)
        try reader.object { reader, name throws(JSONError) in
            if try day.take(name, &reader) { return }
            switch name {
            case "amount": amount = try Money(json: &reader)
            case "fee": fee = try reader.int64()
            case "kind": kind = try reader.word()
            case "net": net = try reader.int64()
            case "operationId": operation = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "orderNumber": orderNumber = try reader.string(upTo: 64)
            case "paymentId": payment = try reader.identifier()
            case "serial": serial = try reader.string(upTo: 64)
            default: try reader.skip()
            }
        }
        let moved = try reader.required(amount, "amount")
        guard moved.minorUnits > 0 else { throw reader.error(.range, "an amount is more than zero") }
        self.init(
            order: try reader.required(order, "orderId"), day: try day.day(reader),
            operation: try SettledOperation(payment: payment, operation: operation, reader),
            kind: try reader.required(kind, "kind"), serial: try reader.required(serial, "serial"),
            orderNumber: try reader.required(orderNumber, "orderNumber"), amount: moved,
            fee: try reader.required(fee, "fee"), net: try reader.required(net, "net"))
        guard operation != nil || self.order == self.day.subject else {
            throw reader.error(.value, "a row without an operation belongs to its day")
        }
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("account", day.account)
        object.member("acquirer", day.acquirer)
        object.object("amount") { amount.write(to: &$0) }
        object.member("date", day.date.description)
        object.member("fee", fee)
        object.member("kind", kind.rawValue)
        object.member("merchantId", day.merchant.description)
        object.member("net", net)
        object.member("operationId", operation?.operation.description)
        object.member("orderId", order.description)
        object.member("orderNumber", orderNumber)
        object.member("paymentId", operation?.payment.description)
        object.member("serial", serial)
    }
}
