import OrchardJSON

/// What order-ledger's signed commands ask for.
public enum CommandClaims: Hashable, Sendable {
    case close(CloseRequested)
    case followUp(FollowUpRequested)

    public var command: CommandID {
        switch self {
        case .close(let claims): claims.command
        case .followUp(let claims): claims.command
        }
    }

    public var order: OrderID {
        switch self {
        case .close(let claims): claims.order
        case .followUp(let claims): claims.order
        }
    }

    public var merchant: MerchantID {
        switch self {
        case .close(let claims): claims.merchant
        case .followUp(let claims): claims.merchant
        }
    }

    public var type: CommandType {
        switch self {
        case .close(let claims): claims.type
        case .followUp(let claims): claims.type
        }
    }

    /// The partition of everything that concerns the order.
    public var partition: Int32 {
        switch self {
        case .close(let claims): claims.partition
        case .followUp(let claims): claims.partition
        }
    }

    /// The canonical text of the claims.
    public var json: [UInt8] {
        switch self {
        case .close(let claims): claims.json
        case .followUp(let claims): claims.json
        }
    }

    /// Reads the claims of a command, whose `type` says which they are.
    init(parsing bytes: [UInt8]) throws(JSONError) {
        switch try CommandTypeClaim(parsing: bytes).type {
        case .capture, .void, .refund: self = .followUp(try FollowUpRequested(parsing: bytes))
        case .cancel, .expire: self = .close(try CloseRequested(parsing: bytes))
        case .charge: throw JSONError(.value, "order-ledger signs no command to charge")
        }
    }
}

/// The one claim that every signed command has.
private struct CommandTypeClaim: ContractValue {
    let type: CommandType

    init(json reader: inout JSONReader) throws(JSONError) {
        var type: CommandType?
        try reader.object { reader, name throws(JSONError) in
            if name == "type" { type = try reader.word() } else { try reader.skip() }
        }
        self.type = try reader.required(type, "type")
    }

    func write(to object: inout JSONObjectWriter) { object.member("type", type.rawValue) }
}
