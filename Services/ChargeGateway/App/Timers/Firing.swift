import Acquirers
import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit

/// Does what is due for one order: commits the intent, acts without a transaction, and commits what came of it.
struct Firing: Sendable {
    let desk: OrderDesk
    let opener: CardOpener
    let acquirers: Acquiring
    let breakers: CircuitBreakers
    let watch: ChargeWatch
    let logger: Logger
    /// How long an outcome waits for the database; then a query tells it.
    var longestTelling = Duration.seconds(300)

    /// What an intent's transaction hands on.
    private struct Intent: Sendable {
        let time: Timestamp
        /// By this process's clock.
        let begun: ContinuousClock.Instant
        let card: CardOpener.OpenedCard?
        /// The trace of the command that the payment came with.
        let trace: TraceContext?
    }

    /// - Parameter armed: called when the order's next due time is committed, so that others may look at it again.
    /// - Returns: why the order could not be stepped; then `armed` was not called.
    func fire(_ due: DueOrder, armed: () -> Void) async -> (any Error)? {
        let result: (actions: [Action], outcome: Intent?)?
        do {
            result = try await desk.step(due.order, in: due.partition, .skip) { order, time, connection in
                try await intend(due, &order, time, connection)
            }
        } catch {
            return error
        }
        armed()
        guard let result, let intent = result.outcome else { return nil }
        await TraceContext.$current.withValue(intent.trace) { await perform(result.actions, of: intent, due) }
        return nil
    }

    private func perform(_ actions: [Action], of intent: Intent, _ due: DueOrder) async {
        for action in actions {
            switch action {
            case .send(let charge, let attempt):
                guard let card = intent.card else { continue }
                let outcome = await send(charge, card, intent)
                if let reference = charge.reference {
                    breakers.note(outcome, of: reference, at: intent.time + (ContinuousClock.now - intent.begun))
                }
                switch outcome {
                case .notSent(let reason, _), .unknown(let reason), .unsendable(let reason):
                    logger.warning("a send got no answer: \(reason)", ["order_id": charge.order.description])
                case .answered: break
                }
                await tell(charge, in: due.partition, .sent(attempt: attempt, outcome))
            case .query(let charge):
                let outcome = await acquirers.query(charge, at: intent.time)
                if case .failed(let reason) = outcome {
                    logger.warning("a query failed: \(reason)", ["order_id": charge.order.description])
                }
                await tell(charge, in: due.partition, .queried(outcome))
            case .record, .alarm: continue
            }
        }
    }

    /// Looks again under the lock, and steps the machine if the time has really come.
    private func intend(
        _ due: DueOrder, _ order: inout StoredOrder, _ time: Timestamp, _ connection: PostgresConnection
    ) async throws -> ([Action], Intent?) {
        guard let operation = order.machine.nextDue, let dueAt = operation.dueAt, dueAt <= time,
            // The slot is of one kind: another kind of step waits for its own.
            operation.state.next.map({ $0.kind == due.step }) ?? true
        else { return ([], nil) }
        let begun = ContinuousClock.now
        var input = OperationInput.due(.ready)
        var card: CardOpener.OpenedCard?
        if operation.wantsCard(at: time) {
            var availability = CardAvailability.unreadable
            if let sealed = try await desk.store.sealedCard(of: operation.charge, in: due.partition, on: connection) {
                (availability, card) = opener.open(sealed, of: operation.charge.payment, at: time)
            }
            input = .due(availability)
            // Asked last: who is allowed to send while a breaker is half open must send.
            if availability == .ready, let reference = operation.charge.reference,
                case .wait(let until) = breakers.permission(for: reference, at: time)
            {
                (input, card) = (.held(until: until), nil)
            }
        }
        watch.fired(late: time - dueAt)
        let actions = order.receive(.operation(operation.charge.operation, input), at: time)
        let trace = order.traceparent(of: .query(operation.charge)).flatMap { TraceContext(traceparent: $0) }
        return (actions, Intent(time: time, begun: begun, card: card, trace: trace))
    }

    /// Sends, unless the process stood still since the intent: others took the send for lost then, and went on.
    private func send(_ charge: Charge, _ card: CardOpener.OpenedCard, _ intent: Intent) async -> SendOutcome {
        guard ContinuousClock.now - intent.begun < desk.store.policy.sendInProgress else {
            return .notSent(reason: "the process stood still between intent and send")
        }
        return await acquirers.send(charge, card: card, at: intent.time)
    }

    /// Commits what came of a request. When the database stays away too long it is given up: the query decides.
    private func tell(_ charge: Charge, in partition: Int32, _ input: OperationInput) async {
        var retries = RetryState()
        while true {
            do {
                _ = try await desk.step(charge.order, in: partition) { order, time, _ in
                    (order.receive(.operation(charge.operation, input), at: time), ())
                }
                desk.bell.ring()
                return
            } catch {
                guard !Task.isCancelled else { break }
                if retries.failingSince == nil {
                    logger.warning(
                        "an outcome waits for the database: \(error)", ["order_id": charge.order.description])
                }
                let pause = retries.failed(isTransient: RetryPolicy.isTransient(error), at: .now).pause
                guard retries.failing(at: .now, then: pause) < longestTelling,
                    (try? await Task.sleep(for: pause)) != nil
                else { break }
            }
        }
        logger.error("an outcome was not written; a query will tell it", ["order_id": charge.order.description])
    }
}
