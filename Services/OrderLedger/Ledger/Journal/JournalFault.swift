/// Something that the fold could not take into the books; it goes to the dead letters, and a person must look.
public struct JournalFault: Hashable, Sendable {
    /// The record that could not be taken: the row's own, or one that had waited for it.
    public let source: JournalPosition
    /// What the books lack by it.
    public let subject: FaultSubject
    /// For programs, such as `illegalTransition`.
    public let code: String
    /// For people; never a value of the record.
    public let reason: String

    public init(source: JournalPosition, subject: FaultSubject, code: String, reason: String) {
        self.source = source
        self.subject = subject
        self.code = code
        self.reason = reason
    }
}
