import Acquirers
import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit

/// Executes the due step of one order: commits the intent, makes the request without a transaction, commits the outcome.
struct TimerExecutor: Sendable {
    let transactions: OrderTransactions
    let intents: IntentMaker
    let acquirers: AcquirerClient
    let breakers: CircuitBreakers
    let logger: Logger
    /// How long an outcome waits for the database. After that, a query brings it.
    var longestCommitWait = Duration.seconds(300)

    /// - Parameter armed: called when the order's next due time is committed, or when it waits for nothing any more, so that
    ///   others may look at it again.
    /// - Returns: why the order could not be stepped; then `armed` was not called.
    func fire(_ due: DueOrder, armed: () -> Void) async -> (any Error)? {
        do {
            // The instance that got the acquirer's notification has mostly asked already. To see that costs a read; to lock
            // an order that waits for nothing would be a transaction for each charge.
            if due.step == .query, try await !transactions.isWaiting(due.order, in: due.partition) {
                armed()
                return nil
            }
        } catch {
            return error
        }
        // A body that is called again begins anew.
        let made = Locked<Intent?>(nil)
        let result: (actions: [Action], outcome: Intent?)?
        do {
            result = try await transactions.step(
                due.order, in: due.partition, .skip, readsCards: due.step == .send
            ) { [intents] order, time in
                if let intent = made.withLock({ $0 }) { intents.discard(intent) }
                let intent = intents.make(due, &order, at: time)
                made.withLock { $0 = intent }
                return (intent?.actions ?? [], intent)
            }
        } catch {
            if let intent = made.withLock({ $0 }) { intents.discard(intent) }
            return error
        }
        // The first try's transaction may have failed, and somebody else held the order at the second.
        if result == nil, let intent = made.withLock({ $0 }) { intents.discard(intent) }
        armed()
        if let intent = result?.outcome { await perform(intent) }
        return nil
    }

    /// Makes the request of a committed intent, and commits the outcome.
    func perform(_ intent: Intent) async {
        await TraceContext.$current.withValue(intent.trace) { await perform(intent.actions, of: intent, intent.due) }
    }

    private func perform(_ actions: [Action], of intent: Intent, _ due: DueOrder) async {
        for action in actions {
            switch action {
            case .send(let subject, let attempt):
                guard let outcome = await send(subject, intent) else { continue }
                if let reference = subject.reference {
                    breakers.record(outcome, of: reference, at: intent.time + (ContinuousClock.now - intent.begun))
                }
                switch outcome {
                case .unknown(let reason):
                    logger.warning("a send got no answer: \(reason)", ["order_id": subject.order.description])
                case .notSent(let reason, _), .unsendable(let reason):
                    logger.warning("nothing was sent: \(reason)", ["order_id": subject.order.description])
                case .answered: break
                }
                await commitOutcome(subject, in: due.partition, .sent(attempt: attempt, outcome))
            case .query(let subject):
                let outcome = await acquirers.query(subject, at: intent.time)
                if case .failed(let reason) = outcome {
                    logger.warning("a query failed: \(reason)", ["order_id": subject.order.description])
                }
                await commitOutcome(subject, in: due.partition, .queried(outcome))
            case .record, .alarm: continue
            }
        }
    }

    /// Sends, unless the process was suspended since the intent: another instance may have gone on then.
    ///
    /// - Returns: nil when there are no card data to send it with.
    private func send(_ subject: Subject, _ intent: Intent) async -> SendOutcome? {
        guard ContinuousClock.now - intent.begun < transactions.policy.sendInProgress else {
            return .notSent(reason: "the process stood still between intent and send")
        }
        switch subject {
        case .charge(let charge):
            guard let card = intent.card else { return nil }
            return await acquirers.send(charge, card: card, at: intent.time)
        case .followUp(let followUp): return await acquirers.send(followUp, at: intent.time)
        }
    }

    /// Commits the outcome of a request. It gives up when the database stays away too long: the query decides then.
    private func commitOutcome(_ subject: Subject, in partition: Int32, _ input: OperationInput) async {
        var retries = RetryState()
        while true {
            do {
                _ = try await transactions.step(subject.order, in: partition) { order, time in
                    (order.receive(.operation(subject.operation, input), at: time), ())
                }
                return
            } catch {
                guard !Task.isCancelled else { break }
                if retries.failingSince == nil {
                    logger.warning(
                        "an outcome waits for the database: \(error)", ["order_id": subject.order.description])
                }
                let pause = retries.failed(isTransient: RetryPolicy.isTransient(error), at: .now).pause
                guard retries.failing(at: .now, then: pause) < longestCommitWait,
                    (try? await Task.sleep(for: pause)) != nil
                else { break }
            }
        }
        logger.error("an outcome was not written; a query will tell it", ["order_id": subject.order.description])
    }
}
