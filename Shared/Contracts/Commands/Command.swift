import OrchardJSON

/// The type of a command, `ce_type` on Kafka. Each text is defined only here.
public enum CommandType: String, Hashable, Sendable, CaseIterable {
    case charge = "orchard.charge.requested.v1"
    case cancel = "orchard.cancel.requested.v1"
    case expire = "orchard.expire.requested.v1"
    case capture = "orchard.capture.requested.v1"
    case void = "orchard.void.requested.v1"
    case refund = "orchard.refund.requested.v1"
}

/// A command to the gateway on `orchard.charges.v1`.
public enum Command: Hashable, Sendable {
    /// From token-ingest. Only the ticket in it is trusted.
    case charge(ChargeRequested)
    /// From order-ledger, which signs it.
    case signed(SignedCommand)

    public var order: OrderID {
        switch self {
        case .charge(let command): command.order
        case .signed(let command): command.claims.order
        }
    }

    /// The CloudEvents type.
    public var type: String {
        switch self {
        case .charge: CommandType.charge.rawValue
        case .signed(let command): command.claims.type.rawValue
        }
    }

    /// The event's identifier: the same for every copy of the same command.
    public var id: EventID {
        switch self {
        case .charge(let command): EventID(of: command.operation, transition: 0, type: type)
        case .signed(let command): EventID(of: command.claims.command, transition: 0, type: type)
        }
    }
}

extension Command {
    /// Reads the command that a record of `orchard.charges.v1` carries.
    ///
    /// - Parameters:
    ///   - type: the record's `ce_type`.
    ///   - value: the record's value.
    /// - Throws: ``JSONError``; code `unknown` for a type that this version does not know.
    public init(type: String, value: [UInt8]) throws(JSONError) {
        guard let type = CommandType(rawValue: type) else { throw JSONError(.unknown, "no command has this type") }
        switch type {
        case .charge: self = .charge(try ChargeRequested(parsing: value))
        case .cancel, .expire, .capture, .void, .refund:
            let command = try SignedCommand(parsing: value)
            guard command.claims.type == type else {
                throw JSONError(.value, "the signed command has another type than the record")
            }
            self = .signed(command)
        }
    }

    /// The canonical text of the command.
    public var json: [UInt8] {
        switch self {
        case .charge(let command): command.json
        case .signed(let command): command.json
        }
    }
}
