/// What came of a query.
public enum QueryOutcome: Hashable, Sendable {
    /// No verified answer, or one that says nothing of the charge.
    case failed(reason: String)
    /// The acquirer refuses the query itself with this code: our key, our rights or its form is wrong. That says nothing of
    /// the charge, but no query will until a person has mended it.
    case refused(code: String)
    /// The acquirer's verified statement.
    case answered(AcquirerAnswer)
}
