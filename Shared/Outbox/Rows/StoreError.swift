/// Why rows of a service's own tables cannot be read or written as required.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        /// A column holds a value that the service never writes.
        case malformed
        /// A column holds a word that this version does not know: a newer one has written it, or it is damaged.
        case unknownWord
        /// A statement wrote another number of rows than required.
        case miscounted
    }

    public let code: Code
    /// The column, the table or the statement.
    public let place: String
    public let reason: String

    public init(_ code: Code, at place: String, _ reason: String) {
        self.code = code
        self.place = place
        self.reason = reason
    }

    public var description: String { "\(code.rawValue) at \(place): \(reason)" }
}
