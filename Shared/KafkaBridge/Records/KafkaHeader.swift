import OrchardJSON

/// A header of a record; names may repeat and keep their order.
public struct KafkaHeader: Hashable, Sendable {
    /// The name, for example `ce_type`.
    public var name: String
    /// The bytes; a null value on the wire is read as empty.
    public var value: [UInt8]

    public init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// A header whose value is text in UTF-8.
    public init(_ name: String, _ text: String) {
        self.init(name, Array(text.utf8))
    }

    /// The value as text, `nil` when it is not UTF-8 of the kind that ``StreamSafeText`` allows.
    public var text: String? { String(outside: value) }
}
