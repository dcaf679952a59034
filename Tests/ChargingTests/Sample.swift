import Contracts

@testable import Charging

/// One order, its charges and the acquirer's answers, to tell stories with.
enum Sample {
    static let start = Timestamp(seconds: 1_795_000_000)
    static let order = OrderID(hash: Array(repeating: 1, count: 32))
    static let merchant = MerchantID(hash: Array(repeating: 2, count: 32))
    static let cancel = CloseRequested(
        command: CommandID(hash: Array(repeating: 3, count: 32)), order: order, merchant: merchant,
        partitions: 12)
    static let expire = CloseRequested(
        .expired, command: CommandID(hash: Array(repeating: 5, count: 32)), order: order, merchant: merchant,
        partitions: 12)
    static let card = CardSummary(network: .chinaUnionPay, lastFour: "3629", paymentData: .emv)
    static let amount = Money(minorUnits: 12_345, currency: .cny)

    /// The charge of the order's `number`th token, signed at the start.
    static func charge(
        _ number: UInt8 = 1, kind: OperationKind = .sale, amount: Money = amount, hasRoute: Bool = true,
        card: CardSummary? = card,
        expiresAfter: Duration = .seconds(900), signedBefore: Duration = .zero
    ) -> Charge {
        let payment = PaymentID(hash: Array(repeating: 100 + number, count: 32))
        return Charge(
            order: order, payment: payment, merchant: merchant, kind: kind, revision: 1, amount: amount,
            expiresAt: start + expiresAfter, signedAt: start - signedBefore, card: card,
            route: hasRoute ? route : nil, reference: hasRoute ? reference(payment) : nil)
    }

    static let route = RouteReference(id: "unionpay-1", digest: Array(repeating: 4, count: 16))

    static func reference(_ payment: PaymentID) -> AcquirerReference {
        AcquirerReference(
            acquirer: "unionpay", account: "777290058110048", orderNumber: payment.description, time: start)
    }

    static func result(_ code: String = "00", _ number: UInt8 = 1) -> AcquirerResult {
        AcquirerResult(
            reference: reference(charge(number).payment), code: code, serial: "782611211503220000018",
            settlementDate: "1121")
    }

    static func answer(_ verdict: Verdict, code: String = "00", echoed: EchoedFields = EchoedFields()) -> AcquirerAnswer
    {
        AcquirerAnswer(verdict, result: result(code), echoed: echoed)
    }

    /// An operation that was accepted at the start.
    static func accepted(_ charge: Charge = charge(), policy: ChargingPolicy = ChargingPolicy()) -> OperationMachine {
        OperationMachine.begin(charge, at: start, policy: policy).0
    }

    /// An operation whose first send began at the start.
    static func submitted(_ charge: Charge = charge()) -> OperationMachine {
        var machine = accepted(charge)
        _ = machine.receive(.due(.ready), at: start)
        return machine
    }

    /// An operation after a first send of which nobody knows what came, and a second one because a query found nothing.
    static func resent() -> OperationMachine {
        var machine = submitted()
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        _ = machine.receive(.queried(.answered(answer(.notFound, code: "34"))), at: start + .seconds(3))
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        return machine
    }
}

extension [Action] {
    /// The fact that the first one records; nil when it records none.
    var firstFact: Fact? {
        guard case .record(let fact) = first else { return nil }
        return fact
    }

    /// The words of the facts, in their order.
    var facts: [String] {
        compactMap { action in
            guard case .record(let fact) = action else { return nil }
            switch fact {
            case .payment(let payment): return payment.event.name
            case .orderClosed(let closed): return "closed: \(closed.reason.rawValue)"
            case .commandRejected(let rejected): return "rejected: \(rejected.reason.rawValue)"
            case .followUp(let followUp): return "\(followUp.kind.rawValue) \(followUp.event.kind.rawValue)"
            default: return fact.type
            }
        }
    }

    var events: [PaymentEvent] {
        compactMap { action in
            guard case .record(.payment(let fact)) = action else { return nil }
            return fact.event
        }
    }

    var alarms: [Alarm.Kind] {
        compactMap { action in
            guard case .alarm(let alarm) = action else { return nil }
            return alarm.kind
        }
    }

    /// The attempts to send a charge.
    var sends: [Int] {
        compactMap { action in
            guard case .send(.charge, let attempt) = action else { return nil }
            return attempt
        }
    }

    /// Whether a charge is asked for.
    var asks: Bool {
        contains { action in
            guard case .query(.charge) = action else { return false }
            return true
        }
    }

    /// The follow-ups that are sent.
    var sentFollowUps: [FollowUp] {
        compactMap { action in
            guard case .send(.followUp(let followUp), _) = action else { return nil }
            return followUp
        }
    }

    /// The follow-ups that are asked for.
    var askedFollowUps: [FollowUp] {
        compactMap { action in
            guard case .query(.followUp(let followUp)) = action else { return nil }
            return followUp
        }
    }
}

extension OperationMachine {
    /// Of an operation that is a charge.
    var charge: Charge {
        guard let charge = subject.charge else { preconditionFailure("it follows a charge") }
        return charge
    }
}
