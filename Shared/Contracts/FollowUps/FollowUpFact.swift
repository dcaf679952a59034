import OrchardJSON

/// One transition of an operation that follows a charge.
public struct FollowUpFact: Hashable, Sendable {
    public let order: OrderID
    public let merchant: MerchantID
    public let payment: PaymentID
    public let kind: FollowUpKind
    /// What a void undoes: the sale, the authorisation or the capture; nil for the others.
    public let target: OperationKind?
    public let cause: FollowUpCause
    /// The cause's time, in whole seconds: with it the keys at the acquirer are known again where the database is lost.
    public let causedAt: Timestamp?
    /// The number of the operation's transition, from 1 without gaps. Operation and number identify the fact.
    public let transition: Int64
    /// What is captured, given back or undone.
    public let amount: Money
    /// What the amount consists of, where the shop said it.
    public let parts: OfferTotals?
    public let event: FollowUpEvent

    public init(
        order: OrderID, merchant: MerchantID, payment: PaymentID, kind: FollowUpKind, target: OperationKind? = nil,
        cause: FollowUpCause, causedAt: Timestamp? = nil, transition: Int64, amount: Money, parts: OfferTotals? = nil,
        event: FollowUpEvent
    ) {
        precondition((target != nil) == (kind == .void), "a void says what it undoes")
        self.order = order
        self.merchant = merchant
        self.payment = payment
        self.kind = kind
        self.target = target
        self.cause = cause
        self.causedAt = causedAt
        self.transition = transition
        self.amount = amount
        self.parts = parts
        self.event = event
    }

    public var operation: OperationID { OperationID(kind, of: payment, order: order, cause: cause) }
}

extension FollowUpFact {
    /// Members that only some kinds of events have.
    private struct Details {
        var by: String?
        var outcome: Resolution.Outcome?
        var queries: Int64?
        var reason: String?
        var result: AcquirerResult?
        var sentAt: Timestamp?
    }

    /// Reads the fact that the record's `ce_type` names.
    public init(
        json reader: inout JSONReader, kind: FollowUpKind, event: FollowUpEvent.Kind
    ) throws(JSONError) {
        var (order, merchant, payment): (OrderID?, MerchantID?, PaymentID?)
        var (command, target, transition): (CommandID?, OperationKind?, Int64?)
        var (amount, parts, causedAt): (Money?, OfferTotals?, Timestamp?)
        var details = Details()
        try reader.object { reader, member throws(JSONError) in
            switch member {
            case "amount": amount = try Money(json: &reader)
            case "by": details.by = try reader.string(upTo: Resolution.maximumName)
            case "causedAt": causedAt = try reader.timestamp()
            case "commandId": command = try reader.identifier()
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "outcome": details.outcome = try reader.word()
            case "parts": parts = try OfferTotals(json: &reader)
            case "paymentId": payment = try reader.identifier()
            case "queries": details.queries = Int64(try reader.int(in: 0...Int.max))
            case "reason": details.reason = try reader.string(upTo: 200)
            case "result": details.result = try AcquirerResult(json: &reader)
            case "sentAt": details.sentAt = try reader.timestamp()
            case "target": target = try reader.word()
            case "transition": transition = Int64(try reader.int(in: 1...Int.max))
            default: try reader.skip()
            }
        }
        if kind == .void { _ = try reader.required(target, "target") }
        guard (target != nil) == (kind == .void),
            target.map({ [.sale, .authorisation, .capture].contains($0) }) ?? true
        else { throw reader.error(.value, "a void says what it undoes, and nothing else does") }
        let due = try reader.required(amount, "amount")
        guard due.minorUnits > 0, parts.map({ $0.amount == due }) ?? true else {
            throw reader.error(.value, "an amount is more than zero, and its parts add up to it")
        }
        let paid = try reader.required(payment, "paymentId")
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            payment: paid, kind: kind, target: target, cause: command.map { .command($0) } ?? .lateSuccess(paid),
            causedAt: causedAt, transition: try reader.required(transition, "transition"), amount: due, parts: parts,
            event: try Self.event(event, details, reader))
    }

    private static func event(
        _ kind: FollowUpEvent.Kind, _ details: Details, _ reader: JSONReader
    ) throws(JSONError) -> FollowUpEvent {
        switch kind {
        case .accepted: return .accepted
        case .succeeded:
            return .succeeded(
                try reader.required(details.result, "result"), sentAt: details.sentAt,
                queries: try reader.required(details.queries, "queries"))
        case .failed:
            let text = try reader.required(details.reason, "reason")
            guard let reason = FollowUpEvent.FailureReason(rawValue: text) else {
                throw reader.error(.value, "the reason is not one of the known ones")
            }
            return .failed(reason, details.result)
        case .unknown: return .unknown(reason: try reader.required(details.reason, "reason"))
        case .conflicted: return .conflicted(reason: try reader.required(details.reason, "reason"))
        case .resolved:
            let resolution = Resolution(
                try reader.required(details.outcome, "outcome"), reason: try reader.required(details.reason, "reason"),
                by: try reader.required(details.by, "by"))
            guard let resolution else { throw reader.error(.value, "a reason and a name in plain text are expected") }
            return .resolved(resolution)
        }
    }

    /// Writes the members in the order of their names.
    public func write(to object: inout JSONObjectWriter) {
        let details = details
        object.object("amount") { amount.write(to: &$0) }
        object.member("by", details.by)
        object.member("causedAt", causedAt?.description)
        object.member("commandId", cause.command?.description)
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("outcome", details.outcome?.rawValue)
        if let parts { object.object("parts") { parts.write(to: &$0) } }
        object.member("paymentId", payment.description)
        object.member("queries", details.queries)
        object.member("reason", details.reason)
        if let result = details.result { object.object("result") { result.write(to: &$0) } }
        object.member("sentAt", details.sentAt?.description)
        object.member("target", target?.rawValue)
        object.member("transition", transition)
    }

    private var details: Details {
        switch event {
        case .accepted: Details()
        case .succeeded(let result, let sentAt, let queries): Details(queries: queries, result: result, sentAt: sentAt)
        case .failed(let reason, let result): Details(reason: reason.rawValue, result: result)
        case .unknown(let reason), .conflicted(let reason): Details(reason: reason)
        case .resolved(let resolution):
            Details(by: resolution.by, outcome: resolution.outcome, reason: resolution.reason)
        }
    }
}
