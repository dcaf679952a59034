/// Why a JSON text was refused, and where.
///
/// The reason never quotes a value of the text, which may be secret. Member names appear in the path only, as
/// ``OutsideText`` shows them.
public struct JSONError: Error, Hashable, Sendable {
    /// What kind of refusal this is; open, so that formats built on JSON can add their own.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        public init(_ name: String) { description = name }

        /// The text is not JSON (RFC 8259).
        public static let syntax = Code("syntax")
        /// A string is not UTF-8, or escapes half of a surrogate pair.
        public static let encoding = Code("encoding")
        /// An object has the same member twice.
        public static let duplicate = Code("duplicate")
        /// Objects and arrays are nested too deeply.
        public static let depth = Code("depth")
        /// The text is larger than its format allows.
        public static let size = Code("size")
        /// The value is of another type than the format says.
        public static let type = Code("type")
        /// A number does not fit its type.
        public static let range = Code("range")
        /// A required member is missing.
        public static let missing = Code("missing")
        /// A member that the format does not know.
        public static let unknown = Code("unknown")
        /// The value is of the right type, but not one the format allows.
        public static let value = Code("value")
    }

    public let code: Code
    /// What is wrong and what to do.
    public let reason: String
    /// The path of the member, as in `lines[2].amount`; empty for the whole text.
    public let path: String
    /// The number of bytes before the place where reading stopped.
    public let offset: Int

    public init(_ code: Code, _ reason: String, path: String = "", offset: Int = 0) {
        self.code = code
        self.reason = reason
        self.path = path
        self.offset = offset
    }
}

extension JSONError {
    /// The place in the text, as editors count: `line 3, column 14`.
    public func place(in bytes: [UInt8]) -> String {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return "line \(line), column \(column)"
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        "\(path.isEmpty ? "" : "\(path): ")\(reason) (\(code) at byte \(offset))"
    }
}

/// The six types of JSON values.
public enum JSONKind: Hashable, Sendable {
    case object, array, string, number, bool, null
}
