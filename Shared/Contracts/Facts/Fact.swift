import OrchardJSON

/// What happened, as published on `orchard.journal.v1`: no card data, no personal data, kept for ever.
public enum Fact: Hashable, Sendable {
    case orderOpened(OfferFact)
    case orderRepriced(OfferFact)
    case orderClosed(OrderClosed)
    case payment(PaymentFact)
    case commandRejected(CommandRejected)
    /// The final lines of an order whose total was pending.
    case orderFinalised(OfferFact)
    case followUp(FollowUpFact)
    case settlementFileRecorded(SettlementFileRecorded)
    case settlementRecorded(SettlementRecorded)
    case disputeOpened(DisputeOpened)
    case differenceExplained(DifferenceExplained)
    case payOutReceived(PayOutReceived)

    /// The order that it belongs to, whose partition has it; for a fact of a settled day the day's name.
    public var order: OrderID {
        switch self {
        case .orderOpened(let fact), .orderRepriced(let fact), .orderFinalised(let fact): fact.order
        case .orderClosed(let fact): fact.order
        case .payment(let fact): fact.order
        case .commandRejected(let fact): fact.order
        case .followUp(let fact): fact.order
        case .settlementFileRecorded(let fact): fact.day.subject
        case .settlementRecorded(let fact): fact.order
        case .disputeOpened(let fact): fact.order
        case .differenceExplained(let fact): fact.day.subject
        case .payOutReceived(let fact): fact.subject
        }
    }

    /// The merchant that it is about.
    public var merchant: MerchantID {
        switch self {
        case .orderOpened(let fact), .orderRepriced(let fact), .orderFinalised(let fact): fact.merchant
        case .orderClosed(let fact): fact.merchant
        case .payment(let fact): fact.merchant
        case .commandRejected(let fact): fact.merchant
        case .followUp(let fact): fact.merchant
        case .settlementFileRecorded(let fact): fact.day.merchant
        case .settlementRecorded(let fact): fact.day.merchant
        case .disputeOpened(let fact): fact.day.merchant
        case .differenceExplained(let fact): fact.day.merchant
        case .payOutReceived(let fact): fact.day.merchant
        }
    }

    /// Which fact it is, without its content.
    public var kind: FactType {
        switch self {
        case .orderOpened: .orderOpened
        case .orderRepriced: .orderRepriced
        case .orderClosed: .orderClosed
        case .payment(let fact): .payment(fact.event.kind)
        case .commandRejected: .commandRejected
        case .orderFinalised: .orderFinalised
        case .followUp(let fact): .followUp(fact.kind, fact.event.kind)
        case .settlementFileRecorded: .settlementFileRecorded
        case .settlementRecorded: .settlementRecorded
        case .disputeOpened: .disputeOpened
        case .differenceExplained: .differenceExplained
        case .payOutReceived: .payOutReceived
        }
    }

    /// The CloudEvents type.
    public var type: String { kind.text }

    /// The event's name, a function of what happened, so that a second publication is recognised.
    public var id: EventID {
        switch self {
        case .orderOpened(let fact), .orderRepriced(let fact), .orderFinalised(let fact):
            Self.offerID(of: fact.order, revision: fact.revision)
        case .orderClosed(let fact): EventID(of: fact.order, transition: 0, type: type)
        case .payment(let fact): EventID(of: fact.operation, transition: fact.transition, type: "orchard.payment")
        case .commandRejected(let fact): EventID(of: fact.command, transition: 0, type: type)
        case .followUp(let fact): EventID(of: fact.operation, transition: fact.transition, type: "orchard.followUp")
        case .settlementFileRecorded(let fact): fact.id
        case .settlementRecorded(let fact): fact.id
        case .disputeOpened(let fact): fact.id
        case .differenceExplained(let fact): fact.id
        case .payOutReceived(let fact): fact.id
        }
    }

    /// The name of the event that publishes an offer: opening or repricing, there is one for each revision.
    public static func offerID(of order: OrderID, revision: Int64) -> EventID {
        EventID(of: order, transition: revision, type: "orchard.order.offer")
    }
}

extension Fact {
    /// The only program that publishes facts of this kind.
    public var source: EventSource {
        switch self {
        case .orderOpened, .orderRepriced, .orderFinalised, .differenceExplained, .payOutReceived: .orderLedger
        case .orderClosed, .payment, .commandRejected, .followUp, .settlementFileRecorded, .settlementRecorded,
            .disputeOpened:
            .chargeGateway
        }
    }

    /// Whether the record comes from the program that publishes this fact, with a number of its outbox.
    public func isPublished(by event: CloudEvent) -> Bool {
        event.source == source.rawValue && event.stream?.stream == source.stream && (event.stream?.sequence ?? 0) >= 1
    }
}

extension Fact {
    /// Reads the fact that a record of the journal carries.
    ///
    /// - Parameters:
    ///   - type: the record's `ce_type`.
    ///   - value: the record's value.
    /// - Throws: ``JSONError``; code `unknown` for a type that this version does not know.
    public init(type: String, value: [UInt8]) throws(JSONError) {
        guard let type = FactType(type) else { throw JSONError(.unknown, "no fact has this type") }
        self = try JSONReader.read(value) { reader throws(JSONError) in
            switch type {
            case .orderOpened: return .orderOpened(try OfferFact(json: &reader))
            case .orderRepriced: return .orderRepriced(try OfferFact(json: &reader))
            case .orderClosed: return .orderClosed(try OrderClosed(json: &reader))
            case .commandRejected: return .commandRejected(try CommandRejected(json: &reader))
            case .payment(let kind): return .payment(try PaymentFact(json: &reader, kind: kind))
            case .orderFinalised: return .orderFinalised(try OfferFact(json: &reader))
            case .followUp(let kind, let event):
                return .followUp(try FollowUpFact(json: &reader, kind: kind, event: event))
            case .settlementFileRecorded: return .settlementFileRecorded(try SettlementFileRecorded(json: &reader))
            case .settlementRecorded: return .settlementRecorded(try SettlementRecorded(json: &reader))
            case .disputeOpened: return .disputeOpened(try DisputeOpened(json: &reader))
            case .differenceExplained: return .differenceExplained(try DifferenceExplained(json: &reader))
            case .payOutReceived: return .payOutReceived(try PayOutReceived(json: &reader))
            }
        }
    }

    /// The canonical text of the fact.
    public var json: [UInt8] {
        JSONWriter.object { object in
            switch self {
            case .orderOpened(let fact), .orderRepriced(let fact), .orderFinalised(let fact): fact.write(to: &object)
            case .orderClosed(let fact): fact.write(to: &object)
            case .payment(let fact): fact.write(to: &object)
            case .commandRejected(let fact): fact.write(to: &object)
            case .followUp(let fact): fact.write(to: &object)
            case .settlementFileRecorded(let fact): fact.write(to: &object)
            case .settlementRecorded(let fact): fact.write(to: &object)
            case .disputeOpened(let fact): fact.write(to: &object)
            case .differenceExplained(let fact): fact.write(to: &object)
            case .payOutReceived(let fact): fact.write(to: &object)
            }
        }
    }
}
