import Contracts

@testable import Charging

/// Two orders whose gateways know nothing of each other, one token that was sent for both, and the acquirer between them.
///
/// So it is where two partitions are on two databases, where two workers take the commands at once, and where a restored
/// database has forgotten the first.
struct TwoOrdersSimulation: Hashable {
    enum Event: Hashable {
        case timer(Int)
        /// The request is booked; its answer may be lost.
        case arrives(Int, isAnswered: Bool)
        /// The request is lost on its way.
        case lost(Int)
        case queryAnswered(Int)
    }

    private(set) var orders: [OrderMachine]
    /// Whose transaction the acquirer holds under a key: what it was sent first.
    private(set) var book: [AcquirerReference: String] = [:]
    private let namesOrder: Bool
    private var requests: [[Int]] = [[], []]
    private var queries = [0, 0]
    private var time = Sample.start

    static let charges = (0...1).map { index in
        let sample = Sample.charge()
        return Charge(
            order: OrderID(hash: Array(repeating: UInt8(40 + index), count: 32)), payment: sample.payment,
            merchant: sample.merchant, revision: 1, amount: sample.amount, expiresAt: sample.expiresAt,
            signedAt: sample.signedAt, isOrderSigned: false, card: sample.card, route: sample.route,
            reference: sample.reference)
    }

    /// - Parameters:
    ///   - namesOrder: whether the acquirer's answers to queries name the order.
    ///   - isRestored: whether a lost database may have taken the commands before.
    init(namesOrder: Bool, isRestored: Bool) {
        self.namesOrder = namesOrder
        orders = Self.charges.map { OrderMachine(order: $0.order, policy: ChargingPolicy()) }
        for (index, charge) in Self.charges.enumerated() {
            perform(orders[index].receive(.charge(charge, mayHaveBeenSent: isRestored), at: time), index)
        }
    }

    var paid: [OrderID] { orders.filter { $0.closure?.reason == .paid }.map(\.order) }

    /// Whether an order is believed to be paid that the acquirer did not charge.
    var isBroken: Bool {
        paid.count > 1 || paid.contains { order in !book.values.contains { $0.hasPrefix(order.description) } }
    }

    var possible: [Event] {
        (0...1).flatMap { index -> [Event] in
            var events: [Event] = []
            if orders[index].nextDue != nil { events.append(.timer(index)) }
            if !requests[index].isEmpty {
                events += [.arrives(index, isAnswered: true), .arrives(index, isAnswered: false), .lost(index)]
            }
            if queries[index] > 0 { events.append(.queryAnswered(index)) }
            return events
        }
    }

    mutating func happen(_ event: Event) {
        switch event {
        case .timer(let index):
            guard let (_, due) = orders[index].nextDue else { return }
            time = max(time, due)
            receive(.due(.ready), index)
        case .arrives(let index, let isAnswered):
            let attempt = requests[index].removeFirst()
            let charge = Self.charges[index]
            guard let reference = charge.reference else { return }
            let isKnown = book[reference] != nil
            if !isKnown { book[reference] = charge.reserved }
            // The answer to a sale repeats what it was asked.
            let answer = answer(isKnown ? .alreadyKnown : .accepted, charge.reserved)
            receive(.sent(attempt: attempt, isAnswered ? .answered(answer) : .unknown(reason: "lost")), index)
        case .lost(let index):
            receive(.sent(attempt: requests[index].removeFirst(), .unknown(reason: "lost")), index)
        case .queryAnswered(let index):
            queries[index] -= 1
            let booked = Self.charges[index].reference.flatMap { book[$0] }
            receive(
                .queried(.answered(booked.map { answer(.succeeded(remark: nil), $0) } ?? answer(.notFound, nil))),
                index)
        }
    }

    /// Lets everything arrive and every timer fire for a day.
    mutating func settle() {
        while time < Sample.start + .seconds(86_400) {
            let next = possible.first { event in
                if case .timer = event { return false }
                return true
            }
            guard let event = next ?? possible.first else { return }
            happen(event)
        }
    }

    private func answer(_ verdict: Verdict, _ reserved: String?) -> AcquirerAnswer {
        Sample.answer(verdict, echoed: EchoedFields(reserved: namesOrder ? reserved : nil))
    }

    private mutating func receive(_ input: OperationInput, _ index: Int) {
        perform(orders[index].receive(.operation(Self.charges[index].operation, input), at: time), index)
    }

    private mutating func perform(_ actions: [Action], _ index: Int) {
        requests[index] += actions.sends
        if actions.asks { queries[index] += 1 }
    }
}
