import Contracts

/// What an operation is about. The rules of evidence are the same for both; what differs is asked here.
public enum Subject: Hashable, Sendable {
    /// A payment's first operation: a sale or an authorisation.
    case charge(Charge)
    /// A capture, void or refund.
    case followUp(FollowUp)

    public var charge: Charge? { if case .charge(let charge) = self { charge } else { nil } }
    public var followUp: FollowUp? { if case .followUp(let followUp) = self { followUp } else { nil } }

    public var order: OrderID {
        switch self {
        case .charge(let charge): charge.order
        case .followUp(let followUp): followUp.order
        }
    }

    public var payment: PaymentID {
        switch self {
        case .charge(let charge): charge.payment
        case .followUp(let followUp): followUp.payment
        }
    }

    public var merchant: MerchantID {
        switch self {
        case .charge(let charge): charge.merchant
        case .followUp(let followUp): followUp.merchant
        }
    }

    public var kind: OperationKind {
        switch self {
        case .charge(let charge): charge.kind
        case .followUp(let followUp): followUp.kind.operation
        }
    }

    /// Whether settlement files that lack it count as evidence that it was not done. They list what moves money, and a hold
    /// never: a second one could stand beside it. Nor the void of a hold, but a second void moves nothing, and a hold that
    /// stays is worse.
    public var filesProveAbsence: Bool { kind != .authorisation }

    public var amount: Money {
        switch self {
        case .charge(let charge): charge.amount
        case .followUp(let followUp): followUp.amount
        }
    }

    /// The operation's name, the same for every copy of the command.
    public var operation: OperationID {
        switch self {
        case .charge(let charge): charge.operation
        case .followUp(let followUp): followUp.operation
        }
    }

    /// The acquirer and our key there, of a follow-up that of its attempt; nil for a charge that no route takes.
    public var reference: AcquirerReference? {
        switch self {
        case .charge(let charge): charge.reference
        case .followUp(let followUp): followUp.reference
        }
    }

    /// What travels in the acquirer's reserved field and comes back in its answers.
    public var reserved: String {
        switch self {
        case .charge(let charge): charge.reserved
        case .followUp(let followUp): followUp.reserved
        }
    }

    /// When what asked for it was signed: Apple's signing time of the token, or the beginning of the attempt's slot.
    public var keyTime: Timestamp {
        switch self {
        case .charge(let charge): charge.signedAt
        case .followUp(let followUp): followUp.key.time
        }
    }

    /// Whether nobody but us can have made a transaction for something else under its key. A follow-up's key is a hash of
    /// its cause.
    var isOrderSigned: Bool { charge?.isOrderSigned ?? true }

    /// From when on nothing may be sent under its key.
    func sendingEnds(under policy: ChargingPolicy) -> Timestamp {
        switch self {
        case .charge(let charge): charge.sendingEnds(under: policy)
        case .followUp(let followUp): followUp.sendingEnds(under: policy)
        }
    }

    /// Whether it may be sent at `time` under its key.
    func isSendable(at time: Timestamp, under policy: ChargingPolicy) -> Bool {
        switch self {
        case .charge(let charge): charge.isSendable(at: time, under: policy)
        case .followUp(let followUp):
            followUp.sendingBegins(under: policy) <= time && time < followUp.sendingEnds(under: policy)
        }
    }
}
