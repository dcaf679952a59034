import Contracts

/// What became of a payment's money, in minor units of its currency.
public struct PaymentAmounts: Hashable, Sendable {
    public let currency: Currency
    /// What is or was held; 0 for a sale.
    public var authorised: Int64 = 0
    /// What was taken: by the sale, or by captures that were not voided.
    public var captured: Int64 = 0
    /// What was given back by refunds.
    public var refunded: Int64 = 0
    /// What refunds without an outcome may give back.
    public var refundsInProgress: Int64 = 0
    /// Whether a follow-up has no outcome yet.
    public var hasLiveFollowUp = false
    /// Whether the sale, or the hold, was undone.
    public var isVoided = false
    /// Whether the hold ended by its time.
    public var isExpired = false

    public init(currency: Currency) { self.currency = currency }

    /// What can still be given back.
    public var refundable: Int64 { max(0, captured - refunded - refundsInProgress) }
    /// Whether the hold waits for its capture.
    public var isCapturable: Bool {
        authorised > 0 && captured == 0 && !isVoided && !isExpired && !hasLiveFollowUp
    }
}

extension OrderState {
    /// What became of a payment's money; nil for a payment that the order does not have.
    public func amounts(of payment: PaymentID) -> PaymentAmounts? {
        guard let state = self[payment] else { return nil }
        var amounts = PaymentAmounts(currency: state.amount.currency)
        switch state.status {
        case .succeeded, .lateSuccess: amounts.captured = state.amount.minorUnits
        case .authorised, .authorisationExpired, .lateAuthorised: amounts.authorised = state.amount.minorUnits
        case .accepted, .unknown, .refused, .declined, .notCharged, .conflicted: break
        }
        amounts.isExpired = state.status == .authorisationExpired
        for followUp in followUps where followUp.payment == payment { amounts.add(followUp) }
        return amounts
    }
}

extension PaymentAmounts {
    fileprivate mutating func add(_ followUp: FollowUpState) {
        let amount = followUp.amount.minorUnits
        if followUp.status.isLive { hasLiveFollowUp = true }
        switch (followUp.kind, followUp.status) {
        case (.capture, .succeeded): captured += amount
        case (.refund, .succeeded): refunded += amount
        case (.refund, _) where followUp.status.isLive: refundsInProgress += amount
        case (.void, .succeeded):
            if followUp.target == .capture || followUp.target == .sale { captured -= amount }
            if followUp.target != .capture { isVoided = true }
        default: break
        }
    }
}
