/// What came of a query.
public enum QueryOutcome: Hashable, Sendable {
    /// No verified answer, or one that says nothing of the charge.
    case failed(reason: String)
    /// The set-up is wrong: our key, our rights, the query's form, or the acquirer's certificate is none that we trust. That
    /// says nothing of the charge, and no query will until a person has mended it.
    case misconfigured(reason: String)
    /// The acquirer's verified statement.
    case answered(AcquirerAnswer)
}
