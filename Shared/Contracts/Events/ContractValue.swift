import OrchardJSON

/// A value of the contract: it has one JSON form, written canonically and read strictly.
public protocol ContractValue: Sendable {
    /// Reads the value. Members that this version does not know are ignored, so that a newer writer may add some.
    init(json reader: inout JSONReader) throws(JSONError)
    /// Writes the members of the value's object in the order of their names.
    func write(to object: inout JSONObjectWriter)
}

extension ContractValue {
    /// Reads the value from a complete text.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(bytes) { reader throws(JSONError) in try Self(json: &reader) }
    }

    /// The canonical text.
    public var json: [UInt8] {
        JSONWriter.object { object in write(to: &object) }
    }
}
