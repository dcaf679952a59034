import Contracts

/// What the caller must do after a step. It commits state and facts first.
public enum Action: Hashable, Sendable {
    /// Into the outbox, in the transaction that writes the state.
    case record(Fact)
    /// Send it to its acquirer, the operation's `attempt`th send; the intent is this step's commit.
    case send(Subject, attempt: Int)
    /// Query the outcome at the acquirer.
    case query(Subject)
    /// Alarm an operator.
    case alarm(Alarm)
}

/// Something that an operator must check. The machine goes on by itself.
public struct Alarm: Hashable, Sendable {
    /// What it is about.
    public enum Kind: String, Sendable, CaseIterable {
        /// The acquirer tells of another order, amount or currency under our key.
        case conflict
        /// Two of the acquirer's statements contradict each other.
        case contradiction
        /// Money moved for a payment that had ended as declined or that the acquirer calls failed, or for a closed order.
        case lateSuccess
        /// Money moved with a remark of the acquirer (UnionPay A6, 42, 74, 75).
        case successWithRemark
        /// The acquirer refuses our set-up: key, rights or form of the request.
        case configuration
        /// The ticket's route is not what it was: a charge was set aside.
        case routeChanged
        /// The ticket's merchant is not in this worker's merchants.json: a charge was set aside.
        case merchantMissing
        /// A ticket signed with a key that is not here: a charge was set aside.
        case ticketKeyUnknown
        /// A ticket from the future: a charge was set aside.
        case ticketNotYetValid
        /// The order's rows cannot be read: a command was set aside.
        case damagedOrder
        /// A charge that cannot be read, and that a lost database may have sent: it was set aside.
        case unreadableCharge
        /// Card data sealed to a key that is not here.
        case sealingKeyUnknown
        /// Card data that cannot be opened.
        case unreadableCard
        /// Data of which the acquirer's request cannot be made.
        case unsendable
        /// Money that is owed back, or a hold, could not be given back by itself.
        case refundFailed
    }

    public let kind: Kind
    public let order: OrderID
    /// nil when it is about the order alone.
    public let payment: PaymentID?
    /// What was seen; never card data.
    public let reason: String

    public init(_ kind: Kind, order: OrderID, payment: PaymentID?, reason: String) {
        self.kind = kind
        self.order = order
        self.payment = payment
        self.reason = reason
    }

    /// The operation of the charge that it is about.
    public var charge: OperationID? { payment.map { OperationID(chargeOf: $0, order: order) } }
}
