/// Header fields in their order, with names compared without regard to case (RFC 9110 §5).
public struct HTTPFields: Hashable, Sendable {
    /// One field line.
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field] = []

    public init() {}

    /// Fields in their order.
    package init(_ fields: [Field]) { self.fields = fields }

    /// The value of the first field of this name; setting replaces all fields of the name, nil removes them.
    public subscript(name: String) -> String? {
        get {
            // By index: an iterator would copy each field.
            for index in fields.indices where fields[index].name.equalsIgnoringCase(name) { return fields[index].value }
            return nil
        }
        set {
            guard let newValue else { return fields.removeAll { $0.name.equalsIgnoringCase(name) } }
            let field = Field(name: name, value: newValue)
            guard let index = fields.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) else {
                return fields.append(field)
            }
            fields[index] = field
            let rest = fields.index(after: index)
            if let second = fields[rest...].firstIndex(where: { $0.name.equalsIgnoringCase(name) }) {
                fields[second...].removeAll { $0.name.equalsIgnoringCase(name) }
            }
        }
    }

    /// Every value of the fields of this name, in order.
    public func values(_ name: String) -> [String] {
        fields.lazy.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    /// The members of a field that is a comma-separated list, without the blanks around them (RFC 9110 §5.6.1).
    public func list(_ name: String) -> [String] {
        values(name).flatMap(\.listMembers)
    }

    /// Adds a field behind those that are there, also when the name is already used.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }
}

extension HTTPFields: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension String {
    /// Whether two strings are equal when ASCII letters of both cases are taken as the same.
    ///
    /// Not generic: it compares each field of each request, and other modules could not specialise it.
    package func equalsIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var others = other.utf8.makeIterator()
        for byte in utf8 {
            guard let other = others.next() else { return false }
            let lower = byte | 0x20
            guard byte == other || lower == other | 0x20 && UInt8(ascii: "a")...UInt8(ascii: "z") ~= lower else {
                return false
            }
        }
        return true
    }
}

extension String {
    /// The members of a comma-separated list, without the blanks around them and without empty ones.
    package var listMembers: [String] {
        utf8.split(separator: UInt8(ascii: ",")).map { Substring($0).trimmingBlanks() }.filter { !$0.isEmpty }
    }
}

extension Substring {
    /// The text without SP and HTAB at both ends.
    package func trimmingBlanks() -> String {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }
}
