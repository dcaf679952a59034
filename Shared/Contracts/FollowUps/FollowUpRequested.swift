import OrchardJSON

/// What order-ledger asks of the gateway after a charge: capture, void or refund a payment (`orchard.capture.requested.v1`,
/// `orchard.void.requested.v1`, `orchard.refund.requested.v1`). It travels signed (``SignedCommand``).
public struct FollowUpRequested: Hashable, Sendable {
    public let kind: FollowUpKind
    public let command: CommandID
    public let order: OrderID
    public let merchant: MerchantID
    public let payment: PaymentID
    /// What to capture or to refund, more than zero; nil for a void, which undoes everything.
    public let amount: Money?
    /// What the amount consists of, where the shop said it: the final lines, or the lines that are returned. Else the
    /// books take each part of the offer in proportion.
    public let parts: OfferTotals?
    /// When it was asked for, in whole seconds: the acquirer's key begins with it.
    public let requestedAt: Timestamp
    /// The number of partitions when the order was opened.
    public let partitions: Int32

    public init(
        _ kind: FollowUpKind, command: CommandID, order: OrderID, merchant: MerchantID, payment: PaymentID,
        amount: Money?, parts: OfferTotals? = nil, requestedAt: Timestamp, partitions: Int32
    ) {
        precondition(partitions >= 1, "a topic has at least one partition")
        precondition((amount == nil) == (kind == .void), "a void undoes everything, the others name an amount")
        precondition(amount.map { $0.minorUnits > 0 } ?? true, "an amount is more than zero")
        precondition(parts.map { $0.amount == amount } ?? true, "the parts add up to the amount")
        self.kind = kind
        self.command = command
        self.order = order
        self.merchant = merchant
        self.payment = payment
        self.amount = amount
        self.parts = parts
        self.requestedAt = Timestamp(seconds: requestedAt.seconds)
        self.partitions = partitions
    }

    /// The command's type: each kind has its own.
    public var type: CommandType { Self.type(of: kind) }

    static func type(of kind: FollowUpKind) -> CommandType {
        switch kind {
        case .capture: .capture
        case .void: .void
        case .refund: .refund
        }
    }

    public var cause: FollowUpCause { .command(command) }

    /// The partition of everything that concerns the order.
    public var partition: Int32 { Partitioner.partition(of: order, among: partitions) }
}

/// The claims of the signed command. As in a ticket, claims that are not known are refused.
extension FollowUpRequested: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (command, order, merchant, payment): (CommandID?, OrderID?, MerchantID?, PaymentID?)
        var (amount, parts, requestedAt, partitions): (Money?, OfferTotals?, Timestamp?, Int?)
        var (issuer, audience, type): (String?, String?, String?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "amount": amount = try Money(json: &reader)
            case "aud": audience = try reader.string(upTo: 64)
            case "commandId": command = try reader.identifier()
            case "iss": issuer = try reader.string(upTo: 64)
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "partitions": partitions = try reader.int(in: 1...Int(Int32.max))
            case "parts": parts = try OfferTotals(json: &reader)
            case "paymentId": payment = try reader.identifier()
            case "requestedAt": requestedAt = try reader.timestamp()
            case "type": type = try reader.string(upTo: 64)
            default: throw reader.unknownMember()
            }
        }
        let text = try reader.required(type, "type")
        guard try reader.required(issuer, "iss") == CloseRequested.issuer,
            try reader.required(audience, "aud") == CloseRequested.audience,
            let kind = FollowUpKind.allCases.first(where: { FollowUpRequested.type(of: $0).rawValue == text })
        else { throw reader.error(.value, "the command is from or for somebody else, or another one") }
        guard (amount == nil) == (kind == .void), amount.map({ $0.minorUnits > 0 }) ?? true,
            parts.map({ $0.amount == amount }) ?? true
        else { throw reader.error(.value, "a capture and a refund have an amount above zero, a void has none") }
        let time = try reader.required(requestedAt, "requestedAt")
        guard time == Timestamp(seconds: time.seconds) else {
            throw reader.error(.value, "requestedAt is in whole seconds")
        }
        self.init(
            kind, command: try reader.required(command, "commandId"), order: try reader.required(order, "orderId"),
            merchant: try reader.required(merchant, "merchantId"), payment: try reader.required(payment, "paymentId"),
            amount: amount, parts: parts, requestedAt: time,
            partitions: Int32(try reader.required(partitions, "partitions")))
    }

    public func write(to object: inout JSONObjectWriter) {
        if let amount { object.object("amount") { amount.write(to: &$0) } }
        object.member("aud", CloseRequested.audience)
        object.member("commandId", command.description)
        object.member("iss", CloseRequested.issuer)
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("partitions", Int64(partitions))
        if let parts { object.object("parts") { parts.write(to: &$0) } }
        object.member("paymentId", payment.description)
        object.member("requestedAt", requestedAt.description)
        object.member("type", type.rawValue)
    }
}
