/// The events of a payment, each with its data.
///
/// They change the books, or what a shop or a device is shown. The steps between are rows of the gateway.
public enum PaymentEvent: Hashable, Sendable {
    /// The order was free and the operation was created, on the ticket's route and with this key at the acquirer.
    /// Nothing was sent yet.
    case accepted(CardSummary, RouteReference, AcquirerReference)
    /// Refused, without a change of the order.
    case refused(RefusalReason)
    /// Money moved, and the order is closed: no other payment can pay it.
    ///
    /// - Parameters:
    ///   - sentAt: when the first send that may have left began; nil when the acquirer had a transaction that the gateway
    ///     does not know to have sent.
    ///   - queries: how many queries were sent to the acquirer.
    case succeeded(AcquirerResult, sentAt: Timestamp?, queries: Int64)
    /// The amount is held on the card, and the order is closed: no other payment can pay it. A capture takes the money.
    ///
    /// - Parameter expiresAt: when the hold ends by itself.
    case authorised(AcquirerResult, sentAt: Timestamp?, queries: Int64, expiresAt: Timestamp)
    /// The hold ended by its time, and nothing was captured.
    case authorisationExpired
    /// It is certain that no money moved and none will.
    case declined(DeclineReason, AcquirerResult?)
    /// There is still no outcome. It is published once. A query decides.
    case unknown(reason: String)
    /// Proof that the acquirer never charged it: its settlement files lack it, and a query finds nothing.
    case notCharged(reason: String)
    /// The acquirer reports another order, amount or currency under our number: an operator must check.
    case conflicted(reason: String)
    /// Money moved although the payment had ended as declined, or the acquirer calls it failed: the money is owed back.
    case lateSuccess(AcquirerResult)
    /// An amount is held although the payment or its order had ended: the hold is voided.
    case lateAuthorised(AcquirerResult)
    /// An operator's decision, where no query decides: money moved and closes the order, or no money moved.
    case resolved(Resolution)

    /// The kind of the event, without its data. The raw value is a part of the type's text.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case accepted, refused, succeeded, declined, unknown, notCharged, conflicted, lateSuccess, resolved
        case authorised, authorisationExpired, lateAuthorised
    }

    /// The kind of the event.
    public var kind: Kind {
        switch self {
        case .accepted: .accepted
        case .refused: .refused
        case .succeeded: .succeeded
        case .declined: .declined
        case .unknown: .unknown
        case .notCharged: .notCharged
        case .conflicted: .conflicted
        case .lateSuccess: .lateSuccess
        case .resolved: .resolved
        case .authorised: .authorised
        case .authorisationExpired: .authorisationExpired
        case .lateAuthorised: .lateAuthorised
        }
    }

    /// The word for the kind in the event type.
    public var name: String { kind.rawValue }
}
