/// What came of a send.
public enum SendOutcome: Hashable, Sendable {
    /// Surely no byte of the request left.
    case notSent(reason: String)
    /// Some of it may have arrived; no verified answer came.
    case unknown(reason: String)
    /// The acquirer answered, and the answer is surely its own and about this request.
    case answered(AcquirerAnswer)
}
