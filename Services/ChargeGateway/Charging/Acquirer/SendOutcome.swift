/// What came of a send.
public enum SendOutcome: Hashable, Sendable {
    /// Surely no byte of the request left.
    case notSent(reason: String, fault: SendFault? = nil)
    /// No request can be made of this charge, now or later: its card data or EMV are not in the acquirer's form. Surely no
    /// byte left.
    case unsendable(reason: String)
    /// Some of it may have arrived; no verified answer came.
    case unknown(reason: String)
    /// The acquirer answered, and the answer is surely its own and about this request.
    case answered(AcquirerAnswer)

    /// Why the next send of the account would fail as well; nil when nothing says so.
    public var fault: SendFault? {
        switch self {
        case .notSent(_, let fault): fault
        case .answered(let answer): answer.fault
        case .unsendable, .unknown: nil
        }
    }
}
