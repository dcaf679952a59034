import Charging
import Contracts
import OrchardServiceKit

/// The due times that this process knows, and the signal that wakes the timer loop.
final class TimerQueue: Sendable {
    /// The loop sleeps no longer for an order; a sweep, which is not as far away, wakes it as well.
    static let longestSleep = Duration.seconds(1)
    /// What is due later, such as the end of a hold after 30 days, is left to the sweeps: it takes no room here.
    static let horizon = Duration.seconds(3_600)

    private struct State {
        var due = DueTimes()
        /// The database's clock at a moment of this process's, or a little later: nothing is taken before its time.
        var clock: (time: Timestamp, instant: ContinuousClock.Instant)?
        /// When the loop wakes for an order.
        var wake: Timestamp?

        var now: Timestamp? { clock.map { $0.time + (ContinuousClock.now - $0.instant) } }
    }

    let wakeSignal = WakeSignal()
    private let state = Locked(State())

    /// These were committed.
    ///
    /// - Parameter time: a moment of their transaction.
    func committed(_ orders: [StoredOrder], at time: Timestamp) {
        let isSooner = state.withLock { state in
            state.clock = (time, .now)
            let wake = state.wake ?? time + Self.longestSleep
            var isSooner = false
            for order in orders {
                let due = order.due.flatMap { $0.time < time + Self.horizon ? $0 : nil }
                state.due.set(due, of: order.machine.order)
                if let due, due.time < wake { isSooner = true }
            }
            return isSooner
        }
        if isSooner { wakeSignal.wake() }
    }

    /// A sweep found these.
    func found(_ found: [DueTime], at time: Timestamp) {
        state.withLock { state in
            state.clock = (time, .now)
            state.due.add(found, full: DueSweep.ofQueue)
        }
        wakeSignal.wake()
    }

    /// What may be fired now; in hand until it is set anew or released.
    ///
    /// - Returns: with it, how long to sleep for the next, unless somebody sleeps for it; and whether to sweep at once.
    func dequeue(_ acquiresSlot: (DueOrder) -> Bool) -> (orders: [DueOrder], sleep: Duration?, isToSweep: Bool) {
        state.withLock { state in
            guard let now = state.now else { return ([], nil, false) }
            let taken = state.due.dequeue(at: now, acquiresSlot)
            var sleep: Duration?
            if let next = taken.next, next < state.wake ?? now + Self.longestSleep {
                state.wake = next
                sleep = next - now
            }
            return (taken.orders, sleep, taken.isToSweep)
        }
    }

    /// A sleep is over.
    func wake() {
        state.withLock { $0.wake = nil }
        wakeSignal.wake()
    }

    func release(_ order: OrderID) { state.withLock { $0.due.release(order) } }

    func isWaiting(before due: DueOrder, at time: Timestamp) -> Bool {
        state.withLock { $0.due.isWaiting(before: due, at: time) }
    }

    /// Orders in hand, for a sweep to leave out.
    var inProgress: Set<OrderID> { state.withLock { $0.due.inProgress } }
}
