/// The kinds of things that happen to a payment, each with what it tells.
public enum PaymentEvent: Hashable, Sendable {
    /// The order was free and the operation exists; nothing was sent.
    case accepted(CardSummary)
    /// Turned away without a trace in the order's state.
    case refused(RefusalReason)
    /// About to be sent for the `attempt`th time (from 1): the intent, committed before the first byte.
    case submitted(AcquirerReference, attempt: Int64)
    /// Surely no byte left; it may be sent again.
    case notSent(reason: String)
    /// The acquirer took it; the outcome is open.
    case pending(AcquirerResult)
    /// Money moved.
    case succeeded(AcquirerResult)
    /// Surely no money moved and none will.
    case declined(DeclineReason, AcquirerResult?)
    /// Nobody knows: a query or the settlement file decides.
    case unknown(reason: String)
    /// Proof that the acquirer never charged it (settlement file).
    case notCharged(reason: String)
    /// The acquirer tells of another order, amount or currency under our number: a person must look.
    case conflicted(reason: String)
    /// Money moved although the payment had ended as declined: it is owed back.
    case lateSuccess(AcquirerResult)

    /// The CloudEvents type, for example `orchard.payment.succeeded.v1`.
    public var type: String { "orchard.payment.\(name).v1" }

    /// The word in the type.
    public var name: String {
        switch self {
        case .accepted: "accepted"
        case .refused: "refused"
        case .submitted: "submitted"
        case .notSent: "notSent"
        case .pending: "pending"
        case .succeeded: "succeeded"
        case .declined: "declined"
        case .unknown: "unknown"
        case .notCharged: "notCharged"
        case .conflicted: "conflicted"
        case .lateSuccess: "lateSuccess"
        }
    }
}
