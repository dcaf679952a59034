import Charging
import Contracts
import OrchardServiceKit

/// Lets a step that makes a request due make its intent as well, where a slot is free: one commit instead of two, and no
/// wait for a timer.
struct ImmediateRequests: Sendable {
    let limiter: RequestLimiter
    /// Who waits for a slot already, and is woken when one comes back.
    let timers: TimerQueue
    let intents: IntentMaker
    /// Where committed intents go.
    let queue: IntentQueue

    /// Gives an order its input, with the intent of what that makes due.
    func step(_ order: OrderID, in partition: Int32, _ input: OrderInput, at transactions: OrderTransactions)
        async throws
    {
        // One at most: a body that is called again begins anew.
        let held = Locked<[Intent]>([])
        do {
            let result = try await transactions.step(order, in: partition) { order, time in
                release(held.withLock { $0 })
                held.withLock { $0 = [] }
                let recorded = order.receive(input, at: time)
                let (actions, intent) = make(&order, at: time)
                if let intent { held.withLock { $0 = [intent] } }
                return (recorded + actions, ())
            }
            let intents = held.withLock { $0 }
            if result == nil { release(intents) } else { commit(intents) }
        } catch {
            release(held.withLock { $0 })
            throw error
        }
    }

    /// Makes the intent of what the order's last input made due.
    ///
    /// - Returns: what is to be committed with it; with an intent that holds a slot, for ``commit(_:)`` or ``release(_:)``.
    func make(_ order: inout StoredOrder, at time: Timestamp) -> (actions: [Action], intent: Intent?) {
        guard let due = order.due(at: time), !timers.isWaiting(before: due, at: time), limiter.acquire(for: due)
        else { return ([], nil) }
        let intent = intents.make(due, &order, at: time)
        guard let intent, intent.isRequest else {
            release(due)
            return (intent?.actions ?? [], nil)
        }
        return (intent.actions, intent)
    }

    /// The intents are committed.
    func commit(_ intents: [Intent]) {
        for intent in intents where !queue.add(intent) { release(intent.due) }
    }

    /// The intents are not committed, as far as is known: if they are, a query asks.
    func release(_ intents: [Intent]) {
        for intent in intents {
            self.intents.discard(intent)
            release(intent.due)
        }
    }

    private func release(_ due: DueOrder) {
        limiter.release(due)
        timers.wakeSignal.wake()
    }
}

/// Committed intents on their way to the loop that makes their requests; no more than there are slots.
struct IntentQueue: Sendable {
    let intents: AsyncStream<Intent>
    private let continuation: AsyncStream<Intent>.Continuation

    init() { (intents, continuation) = AsyncStream.makeStream() }

    /// - Returns: false when the loop has ended; then another process asks what became of it.
    func add(_ intent: Intent) -> Bool {
        if case .terminated = continuation.yield(intent) { false } else { true }
    }

    /// Ends the loop.
    func finish() { continuation.finish() }
}
