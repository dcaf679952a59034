import Charging

/// What came of a request to an acquirer, as the metrics name it.
enum ExchangeOutcome: String, Sendable {
    case answered
    /// Surely no byte of a send left.
    case notSent
    /// No send can be made of the charge.
    case unsendable
    /// A send may have left, and nobody heard of it.
    case unknown
    /// A query had no answer.
    case failed
    /// Our own set-up does not allow the query.
    case misconfigured

    /// Those that a request of this kind can have.
    static func all(of kind: NextStep.Kind) -> [Self] {
        switch kind {
        case .send: [.answered, .notSent, .unsendable, .unknown]
        case .query: [.answered, .failed, .misconfigured]
        }
    }

    /// Whether the acquirer answered; nil where a fault of the charge or of ours says nothing of the acquirer.
    var hasAnswered: Bool? {
        switch self {
        case .answered: true
        case .notSent, .unknown, .failed: false
        case .unsendable, .misconfigured: nil
        }
    }
}
