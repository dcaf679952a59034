/// What can be asked of the gateway on `orchard.charges.v1`.
public enum Command: Hashable, Sendable {
    case charge(ChargeRequested)
    case cancel(CancelRequested)

    public var order: OrderID {
        switch self {
        case .charge(let command): command.order
        case .cancel(let command): command.order
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
        case .cancel(let command): EventID(of: command.command, transition: 0, type: type)
        }
    }
}
