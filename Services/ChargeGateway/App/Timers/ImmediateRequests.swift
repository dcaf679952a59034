import Charging
import Contracts
import OrchardServiceKit

/// Makes the intent of a request in the step that makes the request due, where a slot is free: one commit instead of two,
/// and no wait for a timer.
struct ImmediateRequests: Sendable {
    let limiter: RequestLimiter
    /// The orders that wait for a slot; woken when one is released.
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

    /// The intents are probably not committed. If they are, a query follows.
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

/// Committed intents for the loop that makes their requests. There are no more than slots.
struct IntentQueue: Sendable {
    let intents: AsyncStream<Intent>
    private let continuation: AsyncStream<Intent>.Continuation

    init() { (intents, continuation) = AsyncStream.makeStream() }

    /// - Returns: false when the loop has ended; another process queries the outcome then.
    func add(_ intent: Intent) -> Bool {
        if case .terminated = continuation.yield(intent) { false } else { true }
    }

    /// Ends the loop.
    func finish() { continuation.finish() }
}
