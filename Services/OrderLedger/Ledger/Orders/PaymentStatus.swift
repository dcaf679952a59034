import Contracts

/// The status of a payment. A final status changes only to `lateSuccess`, when money moved after all.
public enum PaymentStatus: String, Hashable, Sendable, CaseIterable {
    /// Can become: every other status but refused.
    case accepted
    /// Can become: every other status but accepted and refused.
    case unknown
    /// Can become: lateSuccess.
    case refused
    /// The amount is held; a capture takes it. Can become: authorisationExpired.
    case authorised
    /// Final: the hold ended, and nothing was captured.
    case authorisationExpired
    /// Final.
    case succeeded
    /// Can become: lateSuccess.
    case declined
    /// Can become: lateSuccess.
    case notCharged
    /// Can become: succeeded, declined, notCharged or lateSuccess, by an operator's decision.
    case conflicted
    /// Final.
    case lateSuccess
    /// A hold that is voided by itself. Can become: authorisationExpired, when its void failed.
    case lateAuthorised

    init(_ fact: PaymentFact) {
        self =
            switch fact.event {
            case .accepted: .accepted
            case .refused: .refused
            case .succeeded: .succeeded
            case .authorised: .authorised
            case .authorisationExpired: .authorisationExpired
            case .declined: .declined
            case .unknown: .unknown
            case .notCharged: .notCharged
            case .conflicted: .conflicted
            case .lateSuccess: .lateSuccess
            case .lateAuthorised: .lateAuthorised
            // What a person says of an authorisation is that its amount is held: no money was taken.
            case .resolved(let resolution):
                resolution.outcome == .notCharged
                    ? .notCharged : fact.kind == .authorisation ? .authorised : .succeeded
            }
    }

    /// Whether the outcome is known and will not change by itself.
    public var isFinal: Bool {
        switch self {
        case .accepted, .unknown, .conflicted: false
        case .refused, .authorised, .authorisationExpired, .succeeded, .declined, .notCharged, .lateSuccess,
            .lateAuthorised:
            true
        }
    }

    /// Whether `next` may follow; `from` is nil before a payment's first fact.
    static func allows(_ next: PaymentStatus, after from: PaymentStatus?) -> Bool {
        switch (from, next) {
        case (nil, .lateSuccess), (nil, .lateAuthorised), (nil, .authorisationExpired): false
        case (nil, _): true
        case (_, .accepted), (_, .refused): false
        case (.authorised, .authorisationExpired), (.lateAuthorised, .authorisationExpired): true
        case (_, .authorisationExpired): false
        case (.declined, .lateSuccess), (.notCharged, .lateSuccess), (.refused, .lateSuccess): true
        case (.declined, .lateAuthorised), (.notCharged, .lateAuthorised), (.refused, .lateAuthorised): true
        // An operator's decision ends a conflict.
        case (.conflicted, _): next.isFinal
        case (let from?, _): !from.isFinal
        }
    }
}
