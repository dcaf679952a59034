import Contracts

/// What became of a payment's money, in minor units of its currency. Sums that exceed 64 bits stay at the largest number.
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
    /// Whether the money moved, or is held, although the payment had ended: it is given back by itself.
    public var isLate = false

    public init(currency: Currency) { self.currency = currency }

    /// What can still be given back.
    public var refundable: Int64 { max(0, captured - min(captured, max(0, refunded.plus(refundsInProgress)))) }
    /// Whether an amount is held now: not captured, voided or expired.
    public var isHeld: Bool { authorised > 0 && captured == 0 && !isVoided && !isExpired }
    /// Whether the hold waits for its capture.
    public var isCapturable: Bool { isHeld && !isLate && !hasLiveFollowUp }

    /// Whether `amount` is more than a capture of a hold may take: 115 % of it (UnionPay 03).
    public static func isAboveHold(_ amount: Int64, _ hold: Int64) -> Bool {
        amount.multipliedFullWidth(by: 100) > hold.multipliedFullWidth(by: 115)
    }
}

extension OrderState {
    /// What became of a payment's money; nil for a payment that the order does not have.
    public func amounts(of payment: PaymentID) -> PaymentAmounts? {
        guard let state = self[payment] else { return nil }
        var amounts = PaymentAmounts(currency: state.amount.currency)
        switch state.charge {
        case .sale: amounts.captured = state.amount.minorUnits
        case .authorisation: amounts.authorised = state.amount.minorUnits
        default: break
        }
        amounts.isExpired = state.status == .authorisationExpired
        amounts.isLate = state.status == .lateSuccess || state.status == .lateAuthorised
        for followUp in followUps where followUp.payment == payment { amounts.add(followUp) }
        return amounts
    }
}

extension PaymentAmounts {
    fileprivate mutating func add(_ followUp: FollowUpState) {
        let amount = followUp.amount.minorUnits
        if followUp.status.isLive { hasLiveFollowUp = true }
        switch (followUp.kind, followUp.status) {
        case (.capture, .succeeded): if followUp.isOpenCapture { captured = captured.plus(amount) }
        case (.refund, .succeeded): refunded = refunded.plus(amount)
        case (.refund, _): if followUp.status.isLive { refundsInProgress = refundsInProgress.plus(amount) }
        case (.void, .succeeded):
            if followUp.target == .sale { captured = 0 }
            if followUp.target != .capture { isVoided = true }
        case (.capture, _), (.void, _): break
        }
    }
}

extension Int64 {
    fileprivate func plus(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
