import Contracts

/// What an operation learns.
public enum OperationInput: Hashable, Sendable {
    /// Its time has come, and somebody looked whether its card data can be opened.
    case due(CardAvailability)
    /// The time of its send has come, but its account takes none before `until`: nothing is committed to be sent.
    case held(until: Timestamp)
    /// What came of the `attempt`th send.
    case sent(attempt: Int, SendOutcome)
    /// What came of a query.
    case queried(QueryOutcome)
    /// A verified notification of the acquirer.
    case notified(AcquirerAnswer)
    /// A person's word.
    case resolved(Resolution)
}
