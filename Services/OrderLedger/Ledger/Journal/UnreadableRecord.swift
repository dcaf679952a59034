/// Why a record of the journal is no fact of ours.
public struct UnreadableRecord: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The CloudEvents headers.
        case envelope
        /// A type that this version does not know: upgrade, then fold it again from the dead letters.
        case unknownType
        /// The value.
        case data
        /// Name, subject or key contradict the value.
        case identity
        /// The fact is not its writer's to tell, or no outbox numbered it: somebody else writes to the journal.
        case foreignSource
    }

    public let code: Code
    /// Never a value of the record.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
