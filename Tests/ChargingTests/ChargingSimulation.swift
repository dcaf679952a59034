import Contracts

@testable import Charging

/// An order, its acquirer, and everything that is on its way between them; every step checks the rules of money.
struct ChargingSimulation: Hashable {
    /// Something that may happen next.
    enum Event: Hashable {
        case charge(Charge)
        case cancel
        /// The order's time is over.
        case expire
        /// Time goes to the order's next due time and the timer fires.
        case timer
        /// The request that left first arrives and its answer comes back.
        case arrives
        /// It arrives, but the answer is lost.
        case answerLost
        /// It is lost, and the gateway cannot tell.
        case requestLost
        /// It never left, and the gateway knows.
        case notSent
        /// It never left, because no request can be made of it.
        case unsendable
        /// The timer fires, but the account takes no sends for 5 s.
        case held
        /// It arrives, but the gateway died and nobody waits for the answer.
        case arrivesAfterCrash
        /// The gateway died before it left.
        case diesBeforeSend
        case queryAnswered
        case queryLost
        case notification
    }

    /// What was told; worlds that differ in it alone are one.
    struct Journal: Hashable {
        var published: [(fact: Fact, time: Timestamp)] = []
        static func == (one: Self, other: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    struct Request: Hashable {
        let charge: Charge
        let attempt: Int
    }

    /// Whether sends are held back and found unsendable too: more than every interleaving can be tried with.
    var isWide = false
    var order: OrderMachine
    var acquirer: ModelAcquirer
    var time = Sample.start
    var requests: [Request] = []
    var queries: [Charge] = []
    var facts: [PaymentID: [String]] = [:]
    /// Every fact that was told, in its order.
    var journal = Journal()
    /// Whether the gateway went on from an older state.
    var wasRecovered = false
    var closures = 0
    /// When each payment was first sent.
    var firstSends: [PaymentID: Timestamp] = [:]
    /// Payments whose last end was told: ends change only from declined to lateSuccess.
    var broken: [String] = []

    init(fate: [PaymentID: ModelAcquirer.Truth], policy: ChargingPolicy = ChargingPolicy()) {
        order = OrderMachine(order: Sample.order, policy: policy)
        acquirer = ModelAcquirer(fate: fate)
    }

    /// What can happen now.
    func possible(charges: [Charge]) -> [Event] {
        var events = charges.map { Event.charge($0) } + [.cancel]
        if isWide { events.append(.expire) }
        if order.nextDue != nil { events += isWide ? [.timer, .held] : [.timer] }
        if !requests.isEmpty {
            events += [.arrives, .answerLost, .requestLost, .notSent, .arrivesAfterCrash, .diesBeforeSend]
        }
        if isWide && !requests.isEmpty { events.append(.unsendable) }
        if !queries.isEmpty { events += [.queryAnswered, .queryLost] }
        if !acquirer.booked.isEmpty { events.append(.notification) }
        return events
    }

    mutating func happen(_ event: Event) {
        switch event {
        case .charge(let charge): take(.charge(charge))
        case .cancel: take(.close(Sample.cancel))
        case .expire: take(.close(Sample.expire))
        case .timer, .held:
            guard let (operation, due) = order.nextDue else { return }
            time = max(time, due)
            let isHeld = event == .held && operation.wantsCard(at: time)
            take(.operation(operation.charge.operation, isHeld ? .held(until: time + .seconds(5)) : .due(.ready)))
        case .arrives:
            let request = requests.removeFirst()
            tell(request, .answered(acquirer.receive(request.charge)))
        case .answerLost:
            let request = requests.removeFirst()
            _ = acquirer.receive(request.charge)
            tell(request, .unknown(reason: "timeout"))
        case .requestLost: tell(requests.removeFirst(), .unknown(reason: "timeout"))
        case .notSent: tell(requests.removeFirst(), .notSent(reason: "refused"))
        case .unsendable: tell(requests.removeFirst(), .unsendable(reason: "no EMV"))
        case .arrivesAfterCrash: _ = acquirer.receive(requests.removeFirst().charge)
        case .diesBeforeSend: requests.removeFirst()
        case .queryAnswered:
            let charge = queries.removeFirst()
            take(.operation(charge.operation, .queried(.answered(acquirer.query(charge)))))
        case .queryLost: queries.removeFirst()
        case .notification:
            for operation in order.operations where acquirer.booked[operation.charge.payment] != nil {
                take(
                    .operation(operation.charge.operation, .notified(acquirer.query(operation.charge))))
            }
        }
    }

    private mutating func tell(_ request: Request, _ outcome: SendOutcome) {
        take(.operation(request.charge.operation, .sent(attempt: request.attempt, outcome)))
    }

    private mutating func take(_ input: OrderInput) {
        let before = order
        for action in order.receive(input, at: time) {
            switch action {
            case .send(let subject, let attempt):
                guard let charge = subject.charge else { continue }
                require(charge.isSendable(at: time, under: order.policy), "sent after its end")
                require(order.closure == nil, "sent for a closed order")
                firstSends[charge.payment] = firstSends[charge.payment] ?? time
                requests.append(Request(charge: charge, attempt: attempt))
            case .query(let subject): queries += [subject.charge].compactMap(\.self)
            case .record(let fact):
                journal.published.append((fact, time))
                note(fact)
            case .alarm: break
            }
        }
        check(against: before)
    }

    private mutating func note(_ fact: Fact) {
        switch fact {
        case .payment(let payment):
            let published = facts[payment.payment, default: []]
            require(payment.transition == Int64(published.count + 1), "a gap in the transitions")
            facts[payment.payment] = published + [payment.event.name]
            switch payment.event {
            case .declined(_, nil):
                require(order[payment.operation]?.state.possibleSends == 0, "declined by ourselves after a send")
            case .unknown:
                let sent = firstSends[payment.payment]
                require(!published.contains("unknown"), "told twice that it is unknown")
                let isLateEnough = sent.map { $0 + .seconds(20) <= time } ?? false
                require(wasRecovered || isLateEnough, "told too early that it is unknown")
            default: break
            }
        case .orderClosed: closures += 1
        default: break
        }
    }

    private mutating func check(against before: OrderMachine) {
        let live = order.operations.filter { $0.state.phase.isLive && !$0.state.isRecovered }
        require(live.count <= 1, "two live charges")
        require(acquirer.booked.values.filter { $0 == .paid }.count <= 1, "charged twice")
        require(closures <= 1, "closed twice")
        for operation in order.operations {
            let (phase, payment) = (operation.state.phase, operation.charge.payment)
            if phase == .declined { require(acquirer.booked[payment] != .paid, "declined what was paid") }
            if phase == .succeeded { require(acquirer.booked[payment] == .paid, "paid by nothing") }
            if let was = before[operation.charge.operation]?.state.phase, !was.isLive, was != phase {
                let isLate = was == .declined || (was == .refused && wasRecovered)
                require(isLate && phase == .lateSuccess, "an end changed from \(was) to \(phase)")
            }
            if phase == .created { require(operation.state.possibleSends == 0, "created, and perhaps sent") }
            if !phase.isLive { require(!operation.state.holdsCard, "card data kept after the end") }
            if operation.state.phase.isOpen { require(operation.dueAt != nil, "open, and nobody will look") }
        }
        if order.closure?.reason == .cancelled {
            require(!order.operations.contains { $0.state.phase == .succeeded }, "cancelled and paid")
        }
    }

    /// The database loses its last transactions: the gateway goes on from an older state and a beginning of the journal,
    /// and reads again what came since.
    mutating func recover(
        _ older: OrderMachine, after known: Int, journal published: Int, rereading commands: [OrderInput]
    ) {
        wasRecovered = true
        order = older
        journal.published = Array(journal.published.prefix(published))
        facts = [:]
        closures = 0
        for (fact, _) in journal.published {
            if case .payment(let payment) = fact { facts[payment.payment, default: []].append(payment.event.name) }
            if case .orderClosed = fact { closures += 1 }
        }
        for (fact, time) in journal.published.dropFirst(known) {
            require(order.restore(fact, toldAt: time).isEmpty, "the journal contradicts an older state of itself")
        }
        order.suspectForgottenSends(at: time)
        check(against: order)
        for command in commands { take(command) }
    }

    private mutating func require(_ holds: Bool, _ rule: String) {
        if !holds { broken.append(rule) }
    }
}
