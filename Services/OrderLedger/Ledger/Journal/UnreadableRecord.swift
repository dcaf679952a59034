import OrchardJSON

/// Why a record of the journal is not one of our facts.
public struct UnreadableRecord: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// The CloudEvents headers.
        case envelope
        /// A type that none of our programs writes. An unknown type from one of our programs is a ``NewerRecord``.
        case unknownType
        /// The value.
        case data
        /// Identifier, subject or key contradict the value.
        case identity
        /// The writer may not publish the fact, or no outbox numbered it: another program writes to the journal.
        case foreignSource
    }

    public let code: Code
    /// Never a value of the record; on one line and printable, also when it quotes member names.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = OutsideText.printable(reason)
    }

    /// A value that cannot be read, or that has a type which is not known.
    init(_ error: JSONError) {
        // The reason is hashed with its row for ever, while the reader's texts may change.
        let place = error.path.isEmpty ? "the value" : error.path
        self.init(error.code == .unknown ? .unknownType : .data, "\(place): \(error.code) at byte \(error.offset)")
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
