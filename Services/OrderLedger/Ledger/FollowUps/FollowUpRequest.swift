import Contracts

/// What a shop's server asks for after the payment.
public struct FollowUpRequest: Hashable, Sendable {
    /// What is asked for.
    public enum Content: Hashable, Sendable {
        /// Takes held money: this much, in minor units, or all that is held.
        case capture(Int64?)
        /// Takes held money, as much as the final lines cost.
        case finalise(FinalLines)
        /// Undoes the whole payment.
        case void
        /// Gives this much back, in minor units, or all that is left.
        case refund(Int64?)
        /// Gives back what these goods cost.
        case refundLines([ReturnedLine])
    }

    /// The routes that ask for it.
    public enum Kind: Sendable, CaseIterable {
        case capture, finalise, void, refund
    }

    public let content: Content
    /// The payment; nil for the one that pays the order.
    public let payment: PaymentID?
    /// Why money is given back, in the shop's own words. It stays in the ledger's database.
    public let reason: String?

    public init(_ content: Content, payment: PaymentID? = nil, reason: String? = nil) {
        self.content = content
        self.payment = payment
        self.reason = reason
    }
}

/// Some pieces of a line of the order.
public struct ReturnedLine: Hashable, Sendable {
    /// The line's place in the order's `lines`, from 0.
    public let line: Int
    /// At least one.
    public let quantity: Int64

    public init(_ line: Int, quantity: Int64) {
        self.line = line
        self.quantity = quantity
    }
}
