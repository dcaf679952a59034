import OrchardJSON

/// Why a record of the journal is no fact of ours.
public struct UnreadableRecord: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// The CloudEvents headers.
        case envelope
        /// A type that nobody of ours writes. One that our own program wrote is a ``NewerRecord``.
        case unknownType
        /// The value.
        case data
        /// Name, subject or key contradict the value.
        case identity
        /// The fact is not its writer's to tell, or no outbox numbered it: somebody else writes to the journal.
        case foreignSource
    }

    public let code: Code
    /// Never a value of the record; on one line and printable, whatever member names it quotes.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = OutsideText.printable(reason)
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
