import Contracts

/// A verified statement of the acquirer about one key: the answer to a send or a query, or a notification.
public struct AcquirerAnswer: Hashable, Sendable {
    public let verdict: Verdict
    public let result: AcquirerResult
    public let echoed: EchoedFields
    /// Why every request of the account would be answered so; nil when the answer is about this charge.
    public let fault: SendFault?

    public init(
        _ verdict: Verdict, result: AcquirerResult, echoed: EchoedFields = EchoedFields(), fault: SendFault? = nil
    ) {
        self.verdict = verdict
        self.result = result
        self.echoed = echoed
        self.fault = fault
    }

    /// Why the answer of a query cannot be believed of the operation; nil when it can.
    ///
    /// Where Apple did not sign the order, silence about it is no proof: under the same key another order may be paid.
    func conflict(with subject: Subject) -> String? {
        if case .succeeded = verdict, !subject.isOrderSigned, echoed.reserved == nil {
            return "the answer says paid, but not for which order, and Apple did not sign that either"
        }
        return echoed.conflict(with: subject)
    }
}

/// What an acquirer's verified answer means, whatever its protocol.
public enum Verdict: Hashable, Sendable {
    /// Received; the outcome is open.
    case accepted
    /// Money moved, perhaps with a remark.
    case succeeded(remark: Remark?)
    /// No money moved and none will, under this key.
    case declined(DeclineReason)
    /// The same of a capture, void or refund.
    case failed(FollowUpEvent.FailureReason)
    /// The acquirer holds a transaction of this key from an earlier send.
    case alreadyKnown
    /// What a void or refund would give back is back already: by another operation, or by this one, which arrived twice. It
    /// is never sent again; a query of its own key tells which.
    case alreadyReturned
    /// Neither yes nor no.
    case unclear
    /// The acquirer has no transaction of this key (yet).
    case notFound
    /// The acquirer was asked too often.
    case tooManyQueries
}

/// What an acquirer remarks on a transaction that moved money.
public struct Remark: Hashable, Sendable {
    /// What a person must look at, such as "charged, but past the time for payment".
    public let text: String
    /// Whether the acquirer calls the transaction failed all the same (UnionPay 42): a charge is owed back then, and pays
    /// no order.
    public let isOfFailure: Bool

    public init(_ text: String, isOfFailure: Bool = false) {
        self.text = text
        self.isOfFailure = isOfFailure
    }
}

/// Why an operation was not done, in the words of either kind of fact.
struct Refusal {
    let decline: DeclineReason
    let failure: FollowUpEvent.FailureReason

    static let expired = Refusal(decline: .expired, failure: .tooLate)
    static let unreadable = Refusal(decline: .unreadable, failure: .configuration)
    static let unsendable = Refusal(decline: .unsendable, failure: .configuration)
    static let noRoute = Refusal(decline: .noRoute, failure: .configuration)

    init(decline: DeclineReason, failure: FollowUpEvent.FailureReason) {
        self.decline = decline
        self.failure = failure
    }

    init(_ reason: DeclineReason) {
        self.init(decline: reason, failure: reason == .configuration ? .configuration : .refused)
    }

    init(_ reason: FollowUpEvent.FailureReason) {
        self.init(decline: reason == .configuration ? .configuration : .other, failure: reason)
    }
}

/// The charge's fields that an answer repeats; nil where it has none.
public struct EchoedFields: Hashable, Sendable {
    /// The reserved field as it came back.
    public let reserved: String?
    /// In minor units.
    public let amount: Int64?
    /// Three digits (ISO 4217).
    public let currency: String?

    public init(reserved: String? = nil, amount: Int64? = nil, currency: String? = nil) {
        self.reserved = reserved
        self.amount = amount
        self.currency = currency
    }

    /// How the answer differs from the operation; nil when it does not.
    func conflict(with subject: Subject) -> String? {
        if let reserved, reserved != subject.reserved { return "the answer carries another order or payment" }
        if let amount, amount != subject.amount.minorUnits { return "the answer carries another amount" }
        if let currency, currency != subject.amount.currency.numeric { return "the answer carries another currency" }
        return nil
    }
}

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

/// What came of a query.
public enum QueryOutcome: Hashable, Sendable {
    /// No verified answer, or one that says nothing of the charge.
    case failed(reason: String)
    /// The set-up is wrong: our key, our rights, the query's form, or the acquirer's certificate is none that we trust. That
    /// says nothing of the charge, and no query will until a person has mended it.
    case misconfigured(reason: String)
    /// The acquirer's verified statement.
    case answered(AcquirerAnswer)
}

/// Why no send of an account can succeed now: what opens its circuit breaker.
///
/// A time-out is none: the request may have arrived.
public enum SendFault: String, Hashable, Sendable, CaseIterable {
    /// No connection: refused, or the host's name is not known.
    case unreachable
    /// The TLS handshake failed, or the acquirer's certificate is not trusted.
    case tls
    /// The acquirer refuses our signature (UnionPay respCode 11): each send would decline a customer for nothing.
    case signatureRefused
}
