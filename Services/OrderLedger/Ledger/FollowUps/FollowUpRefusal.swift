import Contracts

/// Why a shop's request after the payment is refused at once: the ledger knows already that it is impossible.
public struct FollowUpRefusal: Error, Hashable, Sendable {
    /// Why, for programs.
    public enum Code: Hashable, Sendable {
        /// No payment holds or took money for the order.
        case orderUnpaid
        /// The payment of this id holds and took no money.
        case paymentNotCharged
        /// The payment has no outcome yet.
        case paymentInProgress
        /// Another operation of the payment has no outcome yet.
        case operationInProgress
        /// The payment is no authorisation that waits for its capture.
        case notCapturable
        case authorisationExpired
        /// The payment was undone.
        case paymentVoided
        /// Everything was given back already.
        case nothingLeft
        case amountAboveHold
        case amountAboveRefundable
        /// The order's total was final when the customer agreed to it.
        case totalNotPending
        case alreadyFinalised
        /// The order has no such line, or fewer pieces of it.
        case linesNotSold
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
}
