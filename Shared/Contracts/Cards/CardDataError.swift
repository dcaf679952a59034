/// Why bytes are no card data. Tells nothing of the bytes.
public struct CardDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        case unknownVersion, malformed, missingField, unknownField, tooLarge
    }

    public let code: Code

    public init(_ code: Code) {
        self.code = code
    }

    public var description: String { "card data: \(code.rawValue)" }
}
