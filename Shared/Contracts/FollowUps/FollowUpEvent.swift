/// The events of an operation that follows a charge, each with its data.
public enum FollowUpEvent: Hashable, Sendable {
    /// The payment allows it, and the operation was created. Nothing was sent yet.
    case accepted
    /// The acquirer did it: money was captured or given back, or the transaction is undone.
    ///
    /// - Parameters:
    ///   - sentAt: when the first send that may have left began; nil when the acquirer had a transaction that the gateway
    ///     does not know to have sent.
    ///   - queries: how many queries were sent to the acquirer.
    case succeeded(AcquirerResult, sentAt: Timestamp?, queries: Int64)
    /// It is certain that it was not done and never will be.
    case failed(FailureReason, AcquirerResult?)
    /// There is still no outcome. It is published once. A query or the settlement file decides.
    case unknown(reason: String)
    /// The acquirer reports another transaction under our number: an operator must check.
    case conflicted(reason: String)
    /// An operator's decision, where no query decides; ``Resolution/Outcome/paid`` says that it was done.
    case resolved(Resolution)

    /// Why an operation was not done.
    public enum FailureReason: String, Sendable, CaseIterable {
        /// The acquirer does not find the original, or it is in a state that does not allow it (UnionPay 35, 36).
        case originalState
        /// The time in which the acquirer does it is over.
        case tooLate
        /// The acquirer or the issuer refused it without a useful reason.
        case refused
        /// The merchant's set-up at the acquirer does not allow it, or our request was wrong: an operator must check.
        case configuration
        /// The settlement files prove that the acquirer never did it, and it is not tried again.
        case notFound
    }

    /// The kind of the event, without its data. The raw value is a part of the type's text.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case accepted, succeeded, failed, unknown, conflicted, resolved
    }

    public var kind: Kind {
        switch self {
        case .accepted: .accepted
        case .succeeded: .succeeded
        case .failed: .failed
        case .unknown: .unknown
        case .conflicted: .conflicted
        case .resolved: .resolved
        }
    }
}
