import Contracts

/// A payment of an order as the gateway's facts describe it.
public struct PaymentState: Hashable, Sendable {
    public let payment: PaymentID
    public internal(set) var status: PaymentStatus
    /// The newest transition of its operation.
    public internal(set) var transition: Int64
    /// The revision of the offer that it pays.
    public let revision: Int64
    public let amount: Money
    /// Network and last four digits; nil when the card data could not be read.
    public internal(set) var card: CardSummary?
    /// The acquirer and the key at it; nil when the payment was never accepted and no result names one.
    public internal(set) var reference: AcquirerReference?
    /// The reason for its status, or the acquirer's remark on it, when its newest fact gives one.
    public internal(set) var reason: String?
    /// The acquirer's result, when there is one.
    public internal(set) var result: AcquirerResult?
    /// When its hold ends by itself; nil for a sale.
    public internal(set) var expiresAt: Timestamp?

    /// A payment as a database stores it.
    public init(
        payment: PaymentID, status: PaymentStatus, transition: Int64, revision: Int64, amount: Money,
        card: CardSummary?, reference: AcquirerReference?, reason: String?, result: AcquirerResult?,
        expiresAt: Timestamp? = nil
    ) {
        self.payment = payment
        self.status = status
        self.transition = transition
        self.revision = revision
        self.amount = amount
        self.card = card
        self.reference = reference
        self.reason = reason
        self.result = result
        self.expiresAt = expiresAt
    }

    /// A payment from its first fact.
    init(_ fact: PaymentFact) {
        self.init(
            payment: fact.payment, status: PaymentStatus(fact), transition: fact.transition,
            revision: fact.revision, amount: fact.amount, card: nil, reference: nil,
            reason: nil, result: nil)
        apply(fact)
    }

    /// Whether money moved, or is held, that the order does not account for: in another amount than the offer's, for an
    /// order that was paid or closed before, or after the payment had been declined. The books have it as owed; an
    /// operator must check.
    ///
    /// - Parameter paidBy: the payment that the order belongs to, ``OrderState/paidBy``.
    public func needsReview(paidBy: PaymentID?) -> Bool {
        status == .lateSuccess || (status == .succeeded || status == .authorised) && paidBy != payment
    }

    /// The kind of its charge, once the acquirer did it: money moved or is held; nil before that, and when nothing did.
    var charge: OperationKind? {
        switch status {
        case .succeeded, .lateSuccess: .sale
        case .authorised, .authorisationExpired, .lateAuthorised: .authorisation
        case .accepted, .unknown, .refused, .declined, .notCharged, .conflicted: nil
        }
    }

    /// Whether it closed its order: it succeeded or was authorised in time, with any amount. Of a hold that has ended the
    /// order knows it: ``OrderState/isTaking(_:)``.
    var isTaking: Bool { status == .succeeded || status == .authorised }

    /// Applies the payment's next fact, which is known to be allowed.
    mutating func apply(_ fact: PaymentFact) {
        status = PaymentStatus(fact)
        transition = fact.transition
        reason = nil
        switch fact.event {
        case .accepted(let card, _, let reference):
            self.card = card.verified
            self.reference = reference
        case .refused(let reason): self.reason = reason.rawValue
        case .succeeded(let result, _, _), .lateSuccess(let result), .lateAuthorised(let result): apply(result)
        case .authorised(let result, _, _, let expiresAt):
            apply(result)
            self.expiresAt = expiresAt
        case .authorisationExpired: break
        case .declined(let reason, let result):
            self.reason = reason.rawValue
            if let result { apply(result) }
        case .unknown(let reason), .notCharged(let reason), .conflicted(let reason): self.reason = reason
        case .resolved(let resolution): reason = resolution.reason
        }
    }

    private mutating func apply(_ result: AcquirerResult) {
        self.result = result.remarked(nil)
        reference = result.reference
        reason = result.remark ?? reason
    }
}
