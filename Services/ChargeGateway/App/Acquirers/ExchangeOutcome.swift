import Charging

/// The outcome of a request to an acquirer, as the metrics name it.
enum ExchangeOutcome: String, Sendable {
    case answered
    /// It is sure that no byte of a send left.
    case notSent
    /// No send can be made of the charge.
    case unsendable
    /// A send may have left, and no answer came.
    case unknown
    /// A query had no answer.
    case failed
    /// Our own configuration does not allow the query.
    case misconfigured

    /// The outcomes that a request of this kind can have.
    static func all(of kind: NextStep.Kind) -> [Self] {
        switch kind {
        case .send: [.answered, .notSent, .unsendable, .unknown]
        case .query: [.answered, .failed, .misconfigured]
        }
    }

    /// Whether the acquirer answered; nil when the fault is the charge's or ours.
    var hasAnswered: Bool? {
        switch self {
        case .answered: true
        case .notSent, .unknown, .failed: false
        case .unsendable, .misconfigured: nil
        }
    }
}
