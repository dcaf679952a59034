import Contracts

/// How an order ended: its state, and each of its payments in the order they were sent.
struct OrderEnd: Hashable, Sendable {
    enum State: String, Sendable {
        case open, authorised, paid, voided, cancelled, expired
    }

    let state: State
    let payments: [Outcome]

    init(_ state: State, _ payments: [Outcome]) {
        self.state = state
        self.payments = payments
    }

    /// The outcome of a payment.
    enum Outcome: Hashable, Sendable, CustomStringConvertible {
        /// Money moved: this many minor units.
        case succeeded(Int64)
        /// So many minor units are held.
        case authorised(Int64)
        case declined(DeclineReason)
        case refused(RefusalReason)
        /// Rejected by token-ingest; it never was a payment.
        case rejected(stage: String)
        /// None of the correct ends: the text from the book.
        case other(String)
        /// Not decided in time: the last status.
        case undecided(String)

        var description: String {
            switch self {
            case .succeeded: "succeeded"
            case .authorised: "authorised"
            case .declined(let reason): "declined: \(reason.rawValue)"
            case .refused(let reason): "refused: \(reason.rawValue)"
            case .rejected(let stage): "rejected at \(stage)"
            case .other(let text), .undecided(let text): text
            }
        }

        /// Whether only the acquirer can have decided this, so that its book has the sale. Every other outcome came
        /// before a send.
        var isAcquirers: Bool {
            switch self {
            case .succeeded, .authorised, .declined(.frozenCard), .declined(.incorrectPIN),
                .declined(.insufficientFunds):
                true
            default: false
            }
        }

        var charged: Int64 { if case .succeeded(let amount) = self { amount } else { 0 } }
    }
}
