import Contracts

/// A capture, void or refund of an order as the gateway's facts describe it.
public struct FollowUpState: Hashable, Sendable {
    public let operation: OperationID
    public let payment: PaymentID
    public let kind: FollowUpKind
    /// What a void undoes; nil for the others.
    public let target: OperationKind?
    public let cause: FollowUpCause
    public let amount: Money
    /// What the amount consists of, where the shop said it.
    public let parts: OfferTotals?
    public internal(set) var status: FollowUpStatus
    /// The newest transition of its operation.
    public internal(set) var transition: Int64
    /// The reason for its status, or the acquirer's remark on it, when its newest fact gives one.
    public internal(set) var reason: String?
    /// The acquirer's result, when there is one.
    public internal(set) var result: AcquirerResult?
    /// The parts that the books took or gave back, once it succeeded; nil for a void, and for money that is no part of
    /// the offer because it is owed.
    public internal(set) var booked: OfferTotals?
    /// The void that undid the capture.
    public internal(set) var voidedBy: OperationID?

    public init(
        operation: OperationID, payment: PaymentID, kind: FollowUpKind, target: OperationKind?, cause: FollowUpCause,
        amount: Money, parts: OfferTotals?, status: FollowUpStatus, transition: Int64, reason: String? = nil,
        result: AcquirerResult? = nil, booked: OfferTotals? = nil, voidedBy: OperationID? = nil
    ) {
        (self.operation, self.payment, self.kind, self.target) = (operation, payment, kind, target)
        (self.cause, self.amount, self.parts) = (cause, amount, parts)
        (self.status, self.transition, self.reason, self.result) = (status, transition, reason, result)
        (self.booked, self.voidedBy) = (booked, voidedBy)
    }

    /// A follow-up from its first fact.
    init(_ fact: FollowUpFact) {
        self.init(
            operation: fact.operation, payment: fact.payment, kind: fact.kind, target: fact.target, cause: fact.cause,
            amount: fact.amount, parts: fact.parts, status: FollowUpStatus(fact.event), transition: fact.transition)
        apply(fact)
    }

    /// Applies the follow-up's next fact, which is known to be allowed.
    mutating func apply(_ fact: FollowUpFact) {
        status = FollowUpStatus(fact.event)
        transition = fact.transition
        reason = nil
        switch fact.event {
        case .accepted: break
        case .succeeded(let result, _, _): apply(result)
        case .failed(let reason, let result):
            self.reason = reason.rawValue
            if let result { apply(result) }
        case .unknown(let reason), .conflicted(let reason): self.reason = reason
        case .resolved(let resolution): reason = resolution.reason
        }
    }

    private mutating func apply(_ result: AcquirerResult) {
        self.result = result.remarked(nil)
        reason = result.remark ?? reason
    }
}

extension FollowUpState {
    /// Whether it is a capture that was done and not undone.
    public var isOpenCapture: Bool { kind == .capture && status == .succeeded && voidedBy == nil }
}

/// The status of a capture, void or refund.
public enum FollowUpStatus: String, Hashable, Sendable, CaseIterable {
    case accepted
    /// No outcome yet: a query or the settlement file decides.
    case unknown
    /// Done.
    case succeeded
    /// Not done. Can become: succeeded, when the acquirer shows that it did it after all.
    case failed
    /// An operator must check.
    case conflicted

    /// Whether the outcome is open.
    public var isLive: Bool { self == .accepted || self == .unknown || self == .conflicted }

    init(_ event: FollowUpEvent) {
        self =
            switch event {
            case .accepted: .accepted
            case .succeeded: .succeeded
            case .failed: .failed
            case .unknown: .unknown
            case .conflicted: .conflicted
            case .resolved(let resolution): resolution.outcome == .paid ? .succeeded : .failed
            }
    }

    /// Whether `next` may follow; `from` is nil before a follow-up's first fact.
    static func allows(_ next: FollowUpStatus, after from: FollowUpStatus?) -> Bool {
        switch (from, next) {
        case (nil, _): true
        case (_, .accepted), (.succeeded, _): false
        // The acquirer did it after all.
        case (.failed, _): next == .succeeded
        // An operator's decision, or the acquirer's word, ends a conflict.
        case (.conflicted, _): !next.isLive
        case (.accepted, _), (.unknown, _): true
        }
    }
}
