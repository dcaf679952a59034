/// What came of a query.
public enum QueryOutcome: Hashable, Sendable {
    /// No verified answer, or one that says nothing of the charge.
    case failed(reason: String)
    /// The acquirer's verified statement.
    case answered(AcquirerAnswer)
}
