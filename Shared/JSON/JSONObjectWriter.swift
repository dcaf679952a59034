/// Writes the members of one object, in the order of their names.
///
/// A name out of order, or a name twice, is a programming error and stops the program: the bytes of a record are hashed
/// and signed, so their order is part of the contract.
public struct JSONObjectWriter {
    var writer: JSONWriter
    private var last: String?

    init(_ writer: JSONWriter) {
        self.writer = writer
    }

    /// Writes a string; nil leaves the member out.
    public mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        begin(name)
        writer.string(value)
    }

    /// Writes a string of ASCII that needs no escapes, from its bytes: for secrets, so that no `String` is made of
    /// them.
    public mutating func member(_ name: String, plain value: [UInt8]) {
        precondition(!value.contains { JSONText.needsEscape($0) || $0 >= 0x80 }, "member \(name) needs escapes")
        begin(name)
        writer.plain(value)
    }

    /// Writes an integer; nil leaves the member out.
    public mutating func member(_ name: String, _ value: Int64?) {
        guard let value else { return }
        begin(name)
        writer.integer(value)
    }

    /// Writes an integer; nil leaves the member out.
    public mutating func member(_ name: String, _ value: Int?) {
        member(name, value.map(Int64.init))
    }

    /// Writes true or false; nil leaves the member out.
    public mutating func member(_ name: String, _ value: Bool?) {
        guard let value else { return }
        begin(name)
        writer.bool(value)
    }

    /// Writes any value.
    public mutating func member(_ name: String, _ value: JSONValue) {
        begin(name)
        writer.value(value)
    }

    /// Writes an array of strings.
    public mutating func member(_ name: String, _ values: [String]) {
        array(name) { array in values.forEach { array.element($0) } }
    }

    /// Writes an object.
    public mutating func object<Failure: Error>(
        _ name: String, _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(name)
        try writer.object(body)
    }

    /// Writes an array.
    public mutating func array<Failure: Error>(
        _ name: String, _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(name)
        try writer.array(body)
    }

    private mutating func begin(_ name: String) {
        if let last {
            precondition(JSONText.precedes(last, name), "member \(name) is written after \(last)")
            writer.append(",")
        }
        last = name
        writer.string(name)
        writer.append(":" as Unicode.Scalar)
    }
}
