import Contracts

@testable import Charging

/// A charged payment, its acquirer's book and everything that is on its way between them; each step checks the rules of
/// money.
struct FollowUpSimulation {
    enum Event: CaseIterable {
        case capture, void, refund, repeatedCommand
        case timer, held, wait
        case arrives, answerLost, requestLost, notSent, arrivesAfterCrash, diesBeforeSend
        case queryAnswered, queryLost, notification
        case files, row
    }

    /// What the acquirer has under a key.
    struct Booking {
        let followUp: FollowUp
        let isDone: Bool
        let time: Timestamp
    }

    static let hold: Int64 = 10_000
    var order: OrderMachine
    var time = Sample.start
    var random: RandomChoices
    var book: [AcquirerReference: Booking] = [:]
    /// What each key was used for, by the intents.
    var contents: [AcquirerReference: FollowUp] = [:]
    var requests: [(followUp: FollowUp, attempt: Int)] = []
    var queries: [FollowUp] = []
    /// Queries for the charge, which only a recovery asks.
    var chargeQueries = 0
    var commands: [FollowUpRequested] = []
    var journal: [(fact: Fact, time: Timestamp)] = []
    var broken: [String] = []
    private let charge: Charge
    /// Whether the charge succeeded after it had been declined.
    let isLate: Bool
    /// How many facts there were before the late success, and the order then.
    private(set) var beforeLateSuccess: (order: OrderMachine, told: Int)?

    init(_ kind: OperationKind, isLate: Bool = false, seed: UInt64) {
        self.isLate = isLate
        random = RandomChoices(state: seed)
        charge = Sample.charge(kind: kind, amount: Money(minorUnits: Self.hold, currency: .cny))
        order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        take(.charge(charge))
        take(.operation(charge.operation, .due(.ready)))
        guard isLate else {
            take(.operation(charge.operation, .sent(attempt: 1, .answered(truthOfCharge))))
            return
        }
        let declined = PaymentStory.answer(.declined(.issuerDeclined), .charge(charge))
        take(.operation(charge.operation, .sent(attempt: 1, .answered(declined))))
        beforeLateSuccess = (order, journal.count)
        take(.operation(charge.operation, .queried(.answered(truthOfCharge))))
    }

    private var truthOfCharge: AcquirerAnswer { PaymentStory.answer(.succeeded(remark: nil), .charge(charge)) }

    mutating func happen(_ event: Event) {
        switch event {
        case .capture: command(.capture, 1 + Int64(random.next() % 12_500))
        case .void: command(.void, nil)
        case .refund: command(.refund, 1 + Int64(random.next() % 11_000))
        case .repeatedCommand:
            if !commands.isEmpty { take(.followUp(commands[Int(random.next() % UInt64(commands.count))])) }
        case .timer: fire(isHeld: false)
        case .held: fire(isHeld: true)
        case .wait: time = time + .seconds(Int(random.next() % 20_000))
        case .arrives:
            guard let request = request() else { return }
            let isKnown = book[request.followUp.reference] != nil
            enter(request.followUp)
            let isDone = book[request.followUp.reference]?.isDone == true
            let isReturned = isDone && request.followUp.kind != .capture && random.next() % 2 == 0
            let again: Verdict = isReturned ? .alreadyReturned : .alreadyKnown
            tell(
                request, .answered(answer(isKnown ? again : isDone ? .accepted : .failed(.refused), request.followUp)))
        case .answerLost:
            guard let request = request() else { return }
            enter(request.followUp)
            tell(request, .unknown(reason: "timeout"))
        case .requestLost: if let request = request() { tell(request, .unknown(reason: "timeout")) }
        case .notSent: if let request = request() { tell(request, .notSent(reason: "refused")) }
        case .arrivesAfterCrash: if let request = request() { enter(request.followUp) }
        case .diesBeforeSend: _ = request()
        case .queryAnswered where chargeQueries > 0:
            chargeQueries -= 1
            take(.operation(charge.operation, .queried(.answered(truthOfCharge))))
        case .queryAnswered:
            guard !queries.isEmpty else { return }
            let asked = queries.removeFirst()
            take(.operation(asked.operation, .queried(.answered(truth(of: asked)))))
        case .queryLost: if !queries.isEmpty { queries.removeFirst() }
        case .notification:
            for booking in book.values.sorted(by: { $0.time < $1.time }).suffix(1) {
                take(.operation(booking.followUp.operation, .notified(truth(of: booking.followUp))))
            }
        case .files: files()
        case .row:
            // A file has a row of all that was done, whatever became of its operation here, and may be read twice.
            let rows = book.values.filter { $0.isDone && $0.time + .seconds(86_400) < time }
                .sorted { ($0.time, $0.followUp.reference.orderNumber) < ($1.time, $1.followUp.reference.orderNumber) }
            guard !rows.isEmpty else { return }
            let row = rows[Int(random.next() % UInt64(rows.count))].followUp
            take(.operation(row.operation, .settled(answer(.succeeded(remark: nil), row))))
        }
    }

    /// Lets everything arrive, every timer fire and every file come, until the holds' time is over.
    mutating func settle() {
        let end = Sample.start + .seconds(40 * 86_400)
        while time < end {
            if !requests.isEmpty {
                happen(.arrives)
            } else if !queries.isEmpty || chargeQueries > 0 {
                happen(.queryAnswered)
            } else if let (_, due) = order.nextDue, due < end {
                let suspects = order.followUps.filter { $0.state.phase.isLive && $0.state.lastSuspect != nil }
                // Queries of what stays unknown would go on every two hours, and of each slot that is suspect.
                if suspects.contains(where: \.isAskingForUnsent) {
                    time = max(time, due)
                } else if suspects.isEmpty {
                    time = max(time + .seconds(6 * 3_600), due)
                } else if suspects.contains(where: { $0.state.absentSince == nil && !$0.state.isKnownThere }) {
                    time = max(time + .seconds(4 * 86_400), due)
                } else {
                    time = max(time, due)
                }
                happen(.files)
                happen(.timer)
            } else {
                return
            }
        }
    }

    private mutating func command(_ kind: FollowUpKind, _ amount: Int64?) {
        let command = FollowUpRequested(
            kind, command: CommandID(hash: (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }),
            order: Sample.order, merchant: Sample.merchant, payment: charge.payment,
            amount: amount.map { Money(minorUnits: $0, currency: .cny) }, requestedAt: time, partitions: 12)
        commands.append(command)
        take(.followUp(command))
    }

    private mutating func fire(isHeld: Bool) {
        guard let (operation, due) = order.nextDue else { return }
        time = max(time, due)
        let holds = isHeld && operation.wantsToSend(at: time)
        take(.operation(operation.subject.operation, holds ? .held(until: time + .seconds(400)) : .due(.ready)))
    }

    private mutating func request() -> (followUp: FollowUp, attempt: Int)? {
        requests.isEmpty ? nil : requests.removeFirst()
    }

    /// The acquirer books a key once, and refuses what comes too long after its time.
    private mutating func enter(_ followUp: FollowUp) {
        guard book[followUp.reference] == nil, time < followUp.reference.time + .seconds(900) else { return }
        book[followUp.reference] = Booking(followUp: followUp, isDone: random.next() % 4 != 0, time: time)
        checkBook()
    }

    private mutating func tell(_ request: (followUp: FollowUp, attempt: Int), _ outcome: SendOutcome) {
        // An answer that found nothing booked is none.
        if case .answered = outcome, book[request.followUp.reference] == nil {
            return take(
                .operation(request.followUp.operation, .sent(attempt: request.attempt, .unknown(reason: "late"))))
        }
        take(.operation(request.followUp.operation, .sent(attempt: request.attempt, outcome)))
    }

    private func truth(of followUp: FollowUp) -> AcquirerAnswer {
        guard let booking = book[followUp.reference] else { return answer(.notFound, followUp) }
        return answer(booking.isDone ? .succeeded(remark: nil) : .failed(.refused), followUp)
    }

    private func answer(_ verdict: Verdict, _ followUp: FollowUp) -> AcquirerAnswer {
        PaymentStory.answer(verdict, .followUp(followUp))
    }

    /// The files of the days that are over: a row of each that was done, and the proof where they lack every key.
    private mutating func files() {
        for operation in order.followUps where operation.state.phase.isLive {
            let keys = operation.possibleKeys
            guard let last = keys.last, last.time + .seconds(2 * 86_400 + 54_000) < time,
                // Nothing is on its way for days.
                !requests.contains(where: { $0.followUp.operation == operation.subject.operation })
            else { continue }
            if let row = keys.compactMap({ book[$0] }).first {
                guard row.isDone else { continue }
                take(.operation(operation.subject.operation, .settled(answer(.succeeded(remark: nil), row.followUp))))
            } else {
                take(.operation(operation.subject.operation, .absentInFiles(last)))
            }
        }
    }

    mutating func take(_ input: OrderInput) {
        let before = order
        for action in order.receive(input, at: time) {
            switch action {
            case .send(.followUp(let followUp), let attempt):
                let slot = FollowUpKey.attempt(at: time, causedAt: followUp.causedAt)
                require(slot == followUp.attempt, "sent outside its slot")
                require(contents[followUp.reference].map { $0.same(as: followUp) } ?? true, "a key for two contents")
                for earlier in 0..<followUp.attempt where book[followUp.reference(of: earlier)] != nil {
                    broken.append("attempt \(followUp.attempt) after attempt \(earlier), which the acquirer has")
                }
                contents[followUp.reference] = followUp
                requests.append((followUp, attempt))
            case .query(.followUp(let followUp)): queries.append(followUp)
            case .query(.charge): chargeQueries += 1
            case .record(let fact): journal.append((fact, time))
            case .send, .alarm: break
            }
        }
        check(against: before)
    }

    private mutating func check(against before: OrderMachine) {
        let live = order.followUps.filter { $0.state.phase.isLive && !$0.state.isRecovered }
        require(live.count <= 1, "two live operations of a payment")
        for operation in order.followUps {
            if before.followUps.contains(operation) { continue }
            let isDone = book.values.contains {
                $0.isDone && $0.followUp.cause == operation.subject.followUp?.cause
                    && $0.followUp.kind == operation.subject.followUp?.kind
            }
            if operation.state.phase == .created {
                require(operation.state.possibleSends == 0, "created, and perhaps sent")
            }
            if operation.state.phase == .declined { require(!isDone, "failed, and the acquirer did it") }
            if operation.state.phase == .succeeded { require(isDone, "done by nobody") }
            if operation.state.phase.isOpen { require(operation.dueAt != nil, "open, and nobody will look") }
            if let was = before[operation.subject.operation]?.state.phase, !was.isLive {
                require(was == operation.state.phase, "an end changed")
            }
        }
    }

    /// What the acquirer did, whatever the gateway knows.
    private mutating func checkBook() {
        let done = book.values.filter(\.isDone).map(\.followUp)
        require(Set(done.map(\.operation)).count == done.count, "an operation was done twice")
        var captured = charge.kind == .sale ? Self.hold : 0
        for booking in book.values.filter(\.isDone).sorted(by: { $0.time < $1.time }) {
            switch (booking.followUp.kind, booking.followUp.target) {
            case (.capture, _):
                require(captured == 0, "captured twice")
                require(!isLate, "captured a hold that came too late")
                captured = booking.followUp.amount.minorUnits
                require(captured * 100 <= Self.hold * 115, "captured more than 115 %")
            case (.void, .authorisation): require(captured == 0, "a captured hold was voided")
            case (.void, _):
                require(captured == booking.followUp.amount.minorUnits, "voided what was given back before")
                captured = 0
            case (.refund, _):
                captured -= booking.followUp.amount.minorUnits
                require(captured >= 0, "gave back more than was taken")
            }
        }
    }

    /// The database loses its last transactions; the journal and the commands come again.
    mutating func recover(
        _ older: OrderMachine, journal told: [(fact: Fact, time: Timestamp)], rereading: [FollowUpRequested]
    ) {
        order = older.read(since: time)
        for (fact, time) in told {
            require(order.restore(fact, toldAt: time).isEmpty, "the journal contradicts an older state of itself")
        }
        order.suspectForgottenSends(at: time)
        for command in rereading { take(.followUp(command, mayHaveBeenSent: true)) }
    }

    /// An older state is put back, and nobody knows: only the server of the database has started again. What was on its way
    /// arrives or is lost, and nobody hears of it.
    mutating func putBack(_ older: OrderMachine) {
        while let request = request() {
            if random.next() % 2 == 0 { enter(request.followUp) }
        }
        queries = []
        chargeQueries = 0
        time = time + .seconds(Int(random.next() % 3_000))
        order = older.read(since: time)
    }

    mutating func require(_ holds: Bool, _ rule: String) {
        if !holds { broken.append(rule) }
    }
}

extension OrderMachine {
    /// The order as it is read from a database whose record has no gap since then.
    fileprivate func read(since recordSince: Timestamp) -> OrderMachine {
        var policy = ChargingPolicy()
        policy.recordSince = recordSince
        func read(_ operations: [OperationMachine]) -> [OperationMachine] {
            operations.map { OperationMachine($0.subject, state: $0.state, policy: policy) }
        }
        return OrderMachine(
            order: order, closure: closure, operations: read(operations), followUps: read(followUps),
            answeredCommands: answeredCommands, pendingExpiry: pendingExpiry, policy: policy)
    }
}

extension FollowUp {
    /// Whether it is the same transaction.
    fileprivate func same(as other: FollowUp) -> Bool {
        kind == other.kind && target == other.target && amount == other.amount && original == other.original
    }
}
