import Contracts

/// Why a shop's request after the payment is refused at once: the ledger knows already that it is impossible.
public struct FollowUpRefusal: Error, Hashable, Sendable {
    public enum Code: String, Sendable, CaseIterable {
        /// No payment holds or took money for the order.
        case orderUnpaid = "order-unpaid"
        /// The payment of this id holds and took no money.
        case paymentNotCharged = "payment-not-charged"
        /// The payment has no outcome yet.
        case paymentInProgress = "payment-in-progress"
        /// Another operation of the payment has no outcome yet.
        case operationInProgress = "operation-in-progress"
        /// The payment is no authorisation that waits for its capture.
        case notCapturable = "not-capturable"
        case authorisationExpired = "authorisation-expired"
        /// The payment was undone.
        case paymentVoided = "payment-voided"
        /// Everything was given back already.
        case nothingLeft = "nothing-left"
        case amountAboveHold = "amount-above-hold"
        case amountAboveRefundable = "amount-above-refundable"
        /// The order's total was final when the customer agreed to it.
        case totalNotPending = "total-not-pending"
        case alreadyFinalised = "already-finalised"
        /// The order has no such line, or fewer pieces of it.
        case linesNotSold = "lines-not-sold"
    }

    public let code: Code
    /// What is wrong and what to do.
    public let reason: String
    /// The member of the request concerned.
    public let field: String?
    /// The amounts that decide, by the names of their members.
    public let amounts: [String: Money]

    public init(_ code: Code, field: String? = nil, amounts: [String: Money] = [:], _ reason: String) {
        self.code = code
        self.field = field
        self.amounts = amounts
        self.reason = reason
    }

    /// Whether another value would be taken. Else the state of the order is the reason.
    public var isOfRequest: Bool {
        switch code {
        case .amountAboveHold, .amountAboveRefundable, .linesNotSold: true
        case .orderUnpaid, .paymentNotCharged, .paymentInProgress, .operationInProgress, .notCapturable,
            .authorisationExpired, .paymentVoided, .nothingLeft, .totalNotPending, .alreadyFinalised:
            false
        }
    }
}
