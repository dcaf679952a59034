/// The type of a fact, `ce_type` on Kafka. Each text is defined only here.
public enum FactType: Hashable, Sendable {
    case orderOpened
    case orderRepriced
    case orderClosed
    case commandRejected
    case orderFinalised
    case payment(PaymentEvent.Kind)
    case followUp(FollowUpKind, FollowUpEvent.Kind)
    case settlementFileRecorded
    case settlementRecorded
    case disputeOpened
    case differenceExplained
    case payOutReceived

    /// Every type that this version reads. Another type from one of our programs was written by a newer version.
    public static let all: [FactType] =
        [
            .orderOpened, .orderRepriced, .orderFinalised, .orderClosed, .commandRejected, .settlementFileRecorded,
            .settlementRecorded, .disputeOpened, .differenceExplained, .payOutReceived,
        ] + PaymentEvent.Kind.allCases.map { .payment($0) }
        + FollowUpKind.allCases.flatMap { kind in FollowUpEvent.Kind.allCases.map { .followUp(kind, $0) } }

    private static let byText = Dictionary(uniqueKeysWithValues: all.map { ($0.text, $0) })

    /// - Parameter text: a `ce_type`; nil for one that this version does not know.
    public init?(_ text: String) {
        guard let type = Self.byText[text] else { return nil }
        self = type
    }

    /// For example `orchard.payment.succeeded.v1`.
    public var text: String {
        switch self {
        case .orderOpened: "orchard.order.opened.v1"
        case .orderRepriced: "orchard.order.repriced.v1"
        case .orderClosed: "orchard.order.closed.v1"
        case .commandRejected: "orchard.command.rejected.v1"
        case .orderFinalised: "orchard.order.finalised.v1"
        case .settlementFileRecorded: "orchard.settlement.fileRecorded.v1"
        case .settlementRecorded: "orchard.settlement.recorded.v1"
        case .disputeOpened: "orchard.dispute.opened.v1"
        case .differenceExplained: "orchard.difference.explained.v1"
        case .payOutReceived: "orchard.payOut.received.v1"
        case .payment(.resolved): "orchard.operation.resolved.v1"
        case .payment(.authorisationExpired): "orchard.authorisation.expired.v1"
        case .followUp(let kind, let event): "orchard.\(kind.rawValue).\(event.rawValue).v1"
        case .payment(let kind): "orchard.payment.\(kind.rawValue).v1"
        }
    }
}
