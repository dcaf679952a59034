/// Writes canonical JSON: sorted member names, no spaces, one way to write each value.
///
/// The bytes equal those of Foundation's `JSONEncoder` with `.sortedKeys` and `.withoutEscapingSlashes`, so that a hash
/// over them can be checked with other tools.
///
///     var writer = JSONWriter()
///     writer.object { object in
///         object.member("amount", 1234)
///         object.array("lines") { lines in lines.element("tea") }
///     }
///     send(writer.bytes)
public struct JSONWriter {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty text. `capacity` bytes are reserved, so that a secret text is never moved, which would leave a copy
    /// behind.
    public init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// The text of one object.
    ///
    /// - Parameter capacity: the default has room for an event of usual size. Growing to it would cost as much as
    ///   writing it, and leave a copy behind.
    public static func object<Failure: Error>(
        capacity: Int = 1_024, _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        try writer.object(body)
        return writer.bytes
    }

    /// Writes an object whose members `body` writes in the order of their names' UTF-8 bytes.
    public mutating func object<Failure: Error>(
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        bytes.append(UInt8(ascii: "{"))
        // The bytes move into the member writer and back by a swap: with two owners each append would copy them all.
        var members = JSONObjectWriter(self)
        self = JSONWriter()
        defer {
            swap(&self, &members.writer)
            bytes.append(UInt8(ascii: "}"))
        }
        try body(&members)
    }

    /// Writes an array whose elements `body` writes.
    public mutating func array<Failure: Error>(
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        bytes.append(UInt8(ascii: "["))
        var elements = JSONArrayWriter(self)
        self = JSONWriter()
        defer {
            swap(&self, &elements.writer)
            bytes.append(UInt8(ascii: "]"))
        }
        try body(&elements)
    }

    /// Writes `null`.
    public mutating func null() {
        append("null")
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        append(value ? "true" : "false")
    }

    /// Writes a number.
    public mutating func integer(_ value: Int64) {
        // From the last digit to the first; 64 bits have at most 20.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = value.magnitude
        repeat {
            start -= 1
            digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        for index in start..<digits.count { bytes.append(digits[index]) }
    }

    /// Writes a text with the escapes that JSON needs.
    public mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        if JSONText.needsEscapes(value) {
            for byte in value.utf8 {
                if JSONText.needsEscape(byte) { escape(byte) } else { bytes.append(byte) }
            }
        } else {
            bytes.append(contentsOf: value.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a string that needs no escapes.
    mutating func plain(_ value: [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a tree; the members of its objects are sorted here.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let text): append(text)
        case .string(let text): string(text)
        case .array(let elements): array { array in elements.forEach { array.element($0) } }
        case .object(let members):
            object { object in
                for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                    object.member(member.name, member.value)
                }
            }
        }
    }

    /// Appends text that is already JSON.
    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ character: Unicode.Scalar) {
        bytes.append(UInt8(ascii: character))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u00")
            append(String(byte, radix: 16))
        }
    }
}
