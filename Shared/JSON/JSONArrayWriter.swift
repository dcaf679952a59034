/// Writes the elements of one array.
public struct JSONArrayWriter {
    var writer: JSONWriter
    private var isFirst = true

    init(_ writer: JSONWriter) {
        self.writer = writer
    }

    /// Writes one element.
    public mutating func element(_ value: String) {
        begin()
        writer.string(value)
    }

    /// Writes one element.
    public mutating func element(_ value: Int64) {
        begin()
        writer.integer(value)
    }

    /// Writes one element.
    public mutating func element(_ value: Int) {
        element(Int64(value))
    }

    /// Writes one element.
    public mutating func element(_ value: JSONValue) {
        begin()
        writer.value(value)
    }

    /// Writes an object as an element.
    public mutating func object<Failure: Error>(
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin()
        try writer.object(body)
    }

    /// Writes an array as an element.
    public mutating func array<Failure: Error>(
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin()
        try writer.array(body)
    }

    private mutating func begin() {
        if !isFirst { writer.append("," as Unicode.Scalar) }
        isFirst = false
    }
}
