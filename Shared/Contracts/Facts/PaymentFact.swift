import OrchardJSON

/// One transition of a payment's operation.
public struct PaymentFact: Hashable, Sendable {
    public let order: OrderID
    public let merchant: MerchantID
    public let payment: PaymentID
    /// A sale or an authorisation. A record names it only when it is an authorisation.
    public let kind: OperationKind
    public let operation: OperationID
    /// The number of the operation's transition, from 1 without gaps. Operation and number identify the fact.
    public let transition: Int64
    /// The revision of the offer that the ticket was for. The paid offer becomes the order.
    public let revision: Int64
    /// The amount of the ticket.
    public let amount: Money
    public let event: PaymentEvent

    public init(
        order: OrderID, merchant: MerchantID, payment: PaymentID, kind: OperationKind = .sale, operation: OperationID,
        transition: Int64, revision: Int64, amount: Money, event: PaymentEvent
    ) {
        precondition(kind == .sale || kind == .authorisation, "a payment takes or holds the money")
        self.order = order
        self.merchant = merchant
        self.payment = payment
        self.kind = kind
        self.operation = operation
        self.transition = transition
        self.revision = revision
        self.amount = amount
        self.event = event
    }
}

extension PaymentFact {
    /// Members that only some kinds of payment events have.
    private struct Details {
        var acquirer: AcquirerReference?
        var by: String?
        var card: CardSummary?
        var expiresAt: Timestamp?
        var outcome: Resolution.Outcome?
        var queries: Int64?
        var reason: String?
        var result: AcquirerResult?
        var route: RouteReference?
        var sentAt: Timestamp?
    }

    /// Reads the fact that the record's `ce_type` names.
    public init(json reader: inout JSONReader, kind: PaymentEvent.Kind) throws(JSONError) {
        var (order, merchant, payment, operation): (OrderID?, MerchantID?, PaymentID?, OperationID?)
        var (transition, revision, amount): (Int64?, Int64?, Money?)
        var charge: OperationKind?
        var details = Details()
        try reader.object { reader, member throws(JSONError) in
            switch member {
            case "acquirer": details.acquirer = try AcquirerReference(json: &reader)
            case "amount": amount = try Money(json: &reader)
            case "by": details.by = try reader.string(upTo: Resolution.maximumName)
            case "card": details.card = try CardSummary(json: &reader)
            case "expiresAt": details.expiresAt = try reader.timestamp()
            case "kind": charge = try reader.word()
            case "merchantId": merchant = try reader.identifier()
            case "operationId": operation = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "outcome": details.outcome = try reader.word()
            case "paymentId": payment = try reader.identifier()
            case "queries": details.queries = Int64(try reader.int(in: 0...Int.max))
            case "reason": details.reason = try reader.string(upTo: 200)
            case "result": details.result = try AcquirerResult(json: &reader)
            case "revision": revision = Int64(try reader.int(in: 1...Int.max))
            case "route": details.route = try RouteReference(json: &reader)
            case "sentAt": details.sentAt = try reader.timestamp()
            case "transition": transition = Int64(try reader.int(in: 1...Int.max))
            default: try reader.skip()
            }
        }
        guard charge == nil || charge == .sale || charge == .authorisation else {
            throw reader.error(.value, "a payment is a sale or an authorisation")
        }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            payment: try reader.required(payment, "paymentId"), kind: charge ?? .sale,
            operation: try reader.required(operation, "operationId"),
            transition: try reader.required(transition, "transition"),
            revision: try reader.required(revision, "revision"), amount: try reader.required(amount, "amount"),
            event: try Self.event(kind, details, reader))
    }

    private static func event(
        _ kind: PaymentEvent.Kind, _ details: Details, _ reader: JSONReader
    ) throws(JSONError) -> PaymentEvent {
        switch kind {
        case .accepted:
            return .accepted(
                try reader.required(details.card, "card"), try reader.required(details.route, "route"),
                try reader.required(details.acquirer, "acquirer"))
        case .refused: return .refused(try word(details.reason, reader))
        case .succeeded:
            return .succeeded(
                try reader.required(details.result, "result"), sentAt: details.sentAt,
                queries: try reader.required(details.queries, "queries"))
        case .authorised:
            return .authorised(
                try reader.required(details.result, "result"), sentAt: details.sentAt,
                queries: try reader.required(details.queries, "queries"),
                expiresAt: try reader.required(details.expiresAt, "expiresAt"))
        case .authorisationExpired: return .authorisationExpired
        case .declined: return .declined(try word(details.reason, reader), details.result)
        case .unknown: return .unknown(reason: try reader.required(details.reason, "reason"))
        case .notCharged: return .notCharged(reason: try reader.required(details.reason, "reason"))
        case .conflicted: return .conflicted(reason: try reader.required(details.reason, "reason"))
        case .lateSuccess: return .lateSuccess(try reader.required(details.result, "result"))
        case .lateAuthorised: return .lateAuthorised(try reader.required(details.result, "result"))
        case .resolved:
            let resolution = Resolution(
                try reader.required(details.outcome, "outcome"), reason: try reader.required(details.reason, "reason"),
                by: try reader.required(details.by, "by"))
            guard let resolution else { throw reader.error(.value, "a reason and a name in plain text are expected") }
            return .resolved(resolution)
        }
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String?, _ reader: JSONReader
    ) throws(JSONError) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try reader.required(text, "reason")) else {
            throw reader.error(
                .value, "the reason is not one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// Writes the members in the order of their names.
    public func write(to object: inout JSONObjectWriter) {
        let details = details
        if let acquirer = details.acquirer { object.object("acquirer") { acquirer.write(to: &$0) } }
        object.object("amount") { amount.write(to: &$0) }
        object.member("by", details.by)
        if let card = details.card { object.object("card") { card.write(to: &$0) } }
        object.member("expiresAt", details.expiresAt?.description)
        object.member("kind", kind == .sale ? nil : kind.rawValue)
        object.member("merchantId", merchant.description)
        object.member("operationId", operation.description)
        object.member("orderId", order.description)
        object.member("outcome", details.outcome?.rawValue)
        object.member("paymentId", payment.description)
        object.member("queries", details.queries)
        object.member("reason", details.reason)
        if let result = details.result { object.object("result") { result.write(to: &$0) } }
        object.member("revision", revision)
        if let route = details.route { object.object("route") { route.write(to: &$0) } }
        object.member("sentAt", details.sentAt?.description)
        object.member("transition", transition)
    }

    private var details: Details {
        switch event {
        case .accepted(let card, let route, let reference): Details(acquirer: reference, card: card, route: route)
        case .refused(let reason): Details(reason: reason.rawValue)
        case .succeeded(let result, let sentAt, let queries):
            Details(queries: queries, result: result, sentAt: sentAt)
        case .authorised(let result, let sentAt, let queries, let expiresAt):
            Details(expiresAt: expiresAt, queries: queries, result: result, sentAt: sentAt)
        case .authorisationExpired: Details()
        case .lateSuccess(let result), .lateAuthorised(let result): Details(result: result)
        case .declined(let reason, let result): Details(reason: reason.rawValue, result: result)
        case .unknown(let reason), .notCharged(let reason), .conflicted(let reason): Details(reason: reason)
        case .resolved(let resolution):
            Details(by: resolution.by, outcome: resolution.outcome, reason: resolution.reason)
        }
    }
}
