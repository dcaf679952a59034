/// A JSON value as a tree, for texts whose structure is not known in advance.
public indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number written as an integer that fits 64 bits.
    case integer(Int64)
    /// Any other number, as it was written.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// Members in the order of the text; no name occurs twice.
    case object([JSONMember])

    /// Reads one whole text.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(bytes) { reader throws(JSONError) in try reader.value() }
    }

    /// An object from names and values; names must differ.
    public static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { JSONMember($0.key, $0.value) })
    }

    /// The member of that name, or nil if there is none or this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The element at that index, or nil if there is none or this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The text, if this is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value, if this is an integer that fits 64 bits.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The value, if this is true or false.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if this is an object.
    public var members: [JSONMember]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The canonical text of this value, as ``JSONWriter`` writes it.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

/// A name and a value of a JSON object.
public struct JSONMember: Hashable, Sendable {
    public let name: String
    public let value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }

    public init(_ name: JSONName, _ value: JSONValue) { self.init(name.description, value) }
}

extension JSONReader {
    /// Reads any value as a tree.
    public mutating func value() throws(JSONError) -> JSONValue {
        switch try kind() {
        case .object:
            var members: [JSONMember] = []
            try object { reader, name throws(JSONError) in members.append(JSONMember(name, try reader.value())) }
            return .object(members)
        case .array:
            var elements: [JSONValue] = []
            try array { reader throws(JSONError) in elements.append(try reader.value()) }
            return .array(elements)
        case .string: return .string(try string())
        case .number:
            let text = try number()
            return if text != "-0", let integer = Int64(text) { .integer(integer) } else { .number(text) }
        case .bool: return .bool(try bool())
        case .null:
            _ = isNull()
            return .null
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object from names and values; names must differ.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember($0.0, $0.1) })
    }
}
