import OrchardJSON

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
        case .cancel: self = .cancel(try SignedCommand(parsing: value))
        }
    }

    /// The canonical text of the command.
    public var json: [UInt8] {
        switch self {
        case .charge(let command): command.json
        case .cancel(let command): command.json
        }
    }
}
