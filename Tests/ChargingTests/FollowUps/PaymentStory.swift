import Contracts

@testable import Charging

/// An order with one payment, the shop's commands about it and the acquirer's answers, to tell stories with.
struct PaymentStory {
    var order: OrderMachine
    /// Since the start.
    var time = Sample.start
    /// What the machine wanted done, in the last step.
    var actions: [Action] = []
    /// The facts of all steps.
    var facts: [String] = []
    private var commands: UInt8
    /// The shop's last command.
    private(set) var asked = FollowUpRequested(
        .void, command: CommandID(hash: [UInt8](repeating: 0, count: 32)), order: Sample.order,
        merchant: Sample.merchant, payment: payment, amount: nil, requestedAt: Sample.start, partitions: 12)

    static let payment = Sample.charge().payment
    /// 23:00 in Beijing on the day of the charge.
    static let dayEnd = Timestamp(rfc3339: "2026-11-18T15:00:00Z") ?? Sample.start

    /// A payment that succeeded at the start.
    ///
    /// - Parameter recordSince: when the server of the database started, if anything before may be lost.
    init(
        _ kind: OperationKind = .sale, serial: String? = "1", afterCommands: UInt8 = 0, recordSince: Timestamp? = nil
    ) {
        var policy = ChargingPolicy()
        policy.recordSince = recordSince ?? policy.recordSince
        commands = afterCommands
        order = OrderMachine(order: Sample.order, policy: policy)
        let charge = Sample.charge(kind: kind)
        take(.charge(charge))
        take(.operation(charge.operation, .due(.ready)))
        take(.operation(charge.operation, .sent(attempt: 1, .answered(Self.done(.charge(charge), serial)))))
    }

    mutating func take(_ input: OrderInput, after wait: Duration = .zero) {
        time = time + wait
        actions = order.receive(input, at: time)
        facts += actions.facts
    }

    /// A command of the shop, asked for now.
    @discardableResult
    mutating func ask(
        _ kind: FollowUpKind, _ amount: Int64? = nil, currency: Currency = .cny, payment: PaymentID = payment,
        merchant: MerchantID = Sample.merchant, mayHaveBeenSent: Bool = false, hasRoute: Bool = true
    ) -> FollowUpRequested {
        commands += 1
        let command = FollowUpRequested(
            kind, command: CommandID(hash: [UInt8](repeating: 50 + commands, count: 32)), order: Sample.order,
            merchant: merchant, payment: payment,
            amount: kind == .void ? nil : Money(minorUnits: amount ?? Sample.amount.minorUnits, currency: currency),
            requestedAt: time, partitions: 12)
        asked = command
        take(.followUp(command, hasRoute: hasRoute, mayHaveBeenSent: mayHaveBeenSent))
        return command
    }

    /// The last operation that followed.
    var last: OperationMachine { order.followUps[order.followUps.count - 1] }

    var phase: OperationPhase { last.state.phase }

    /// Fires the next timer, or one that is due now.
    mutating func fire(at moment: Timestamp? = nil) {
        guard let (operation, due) = order.nextDue else { return }
        time = max(time, moment ?? due)
        take(.operation(operation.subject.operation, .due(.ready)))
    }

    mutating func sent(_ outcome: SendOutcome) {
        take(.operation(last.subject.operation, .sent(attempt: last.state.sends, outcome)))
    }

    mutating func sent(_ verdict: Verdict) { sent(.answered(Self.answer(verdict, last.subject))) }

    mutating func queried(_ verdict: Verdict) {
        take(.operation(last.subject.operation, .queried(.answered(Self.answer(verdict, last.subject)))))
    }

    /// Sends the last operation and has it done.
    mutating func complete(_ verdict: Verdict = .succeeded(remark: nil)) {
        fire(at: time)
        sent(verdict)
    }

    /// A command that is done at once.
    mutating func done(_ kind: FollowUpKind, _ amount: Int64? = nil) {
        ask(kind, amount)
        complete()
    }

    static func answer(_ verdict: Verdict, _ subject: Subject, serial: String? = "2") -> AcquirerAnswer {
        AcquirerAnswer(
            verdict,
            result: AcquirerResult(
                reference: subject.reference ?? Sample.reference(payment), code: "00", serial: serial),
            echoed: EchoedFields(
                reserved: subject.reserved, amount: subject.amount.minorUnits, currency: subject.amount.currency.numeric
            ))
    }

    private static func done(_ subject: Subject, _ serial: String?) -> AcquirerAnswer {
        answer(.succeeded(remark: nil), subject, serial: serial)
    }
}
