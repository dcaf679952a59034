/// What happened, as told on `orchard.journal.v1`: no card data, no personal data, kept for ever.
public enum Fact: Hashable, Sendable {
    case orderOpened(OfferFact)
    case orderRepriced(OfferFact)
    case orderClosed(OrderClosed)
    case payment(PaymentFact)
    case commandRejected(CommandRejected)

    public var order: OrderID {
        switch self {
        case .orderOpened(let fact), .orderRepriced(let fact): fact.order
        case .orderClosed(let fact): fact.order
        case .payment(let fact): fact.order
        case .commandRejected(let fact): fact.order
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
        }
    }

    /// The CloudEvents type.
    public var type: String { kind.text }

    /// The event's name, a function of what happened, so that a second telling is known as such.
    public var id: EventID {
        switch self {
        case .orderOpened(let fact), .orderRepriced(let fact): Self.offerID(of: fact.order, revision: fact.revision)
        case .orderClosed(let fact): EventID(of: fact.order, transition: 0, type: type)
        case .payment(let fact): EventID(of: fact.operation, transition: fact.transition, type: "orchard.payment")
        case .commandRejected(let fact): EventID(of: fact.command, transition: 0, type: type)
        }
    }

    /// The name of the event that tells of an offer: opening or repricing, there is one for each revision.
    public static func offerID(of order: OrderID, revision: Int64) -> EventID {
        EventID(of: order, transition: revision, type: "orchard.order.offer")
    }
}
