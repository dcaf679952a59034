/// The type of a fact, `ce_type` on Kafka. Each text is defined only here.
public enum FactType: Hashable, Sendable {
    case orderOpened
    case orderRepriced
    case orderClosed
    case commandRejected
    case payment(PaymentEvent.Kind)

    /// Every type that this version reads. Another type from one of our programs was written by a newer version.
    public static let all: [FactType] =
        [.orderOpened, .orderRepriced, .orderClosed, .commandRejected] + PaymentEvent.Kind.allCases.map { .payment($0) }

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
        case .payment(.resolved): "orchard.operation.resolved.v1"
        case .payment(let kind): "orchard.payment.\(kind.rawValue).v1"
        }
    }
}
