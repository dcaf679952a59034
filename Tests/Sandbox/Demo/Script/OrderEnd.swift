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
        /// Money moved after a decline: this many minor units, which the gateway gives back by itself.
        case lateSuccess(Int64)
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
            case .lateSuccess: "late success"
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
            case .succeeded, .lateSuccess, .authorised, .declined(.frozenCard), .declined(.incorrectPIN),
                .declined(.insufficientFunds):
                true
            default: false
            }
        }

        /// As the acquirer's book has it, which knows no order of ours that is paid, closed or given up.
        var atAcquirer: Self { if case .lateSuccess(let amount) = self { .succeeded(amount) } else { self } }

        /// The money that moved.
        var charged: Int64 {
            switch self {
            case .succeeded(let amount), .lateSuccess(let amount): amount
            default: 0
            }
        }

        /// Whether money moved after the payment had ended.
        var isLate: Bool { if case .lateSuccess = self { true } else { false } }

        /// Whether it paid its order.
        var isPaid: Bool { if case .succeeded = self { true } else { false } }
    }
}
