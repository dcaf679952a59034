/// What can be asked of the gateway on `orchard.charges.v1`.
public enum Command: Hashable, Sendable {
    /// By token-ingest; the ticket in it is what is believed.
    case charge(ChargeRequested)
    /// By order-ledger, whose signature is believed.
    case cancel(SignedCommand)

    /// Every type that this version reads.
    public static let types: Set<String> = [ChargeRequested.type, CancelRequested.type]

    public var order: OrderID {
        switch self {
        case .charge(let command): command.order
        case .cancel(let command): command.claims.order
        }
    }

    /// The CloudEvents type.
    public var type: String {
        switch self {
        case .charge: ChargeRequested.type
        case .cancel: CancelRequested.type
        }
    }

    /// The event's name: the same for every copy of the same command.
    public var id: EventID {
        switch self {
        case .charge(let command): EventID(of: command.operation, transition: 0, type: type)
        case .cancel(let command): EventID(of: command.claims.command, transition: 0, type: type)
        }
    }
}
