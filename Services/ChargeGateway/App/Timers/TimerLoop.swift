import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Finds orders whose time has come, of every partition, and fires them.
///
/// Any instance fires any order's timer, so that those of a dead instance fire elsewhere within a second.
struct TimerLoop: Service {
    let pool: PostgresPool
    let bell: Bell
    let intents: IntentQueue
    let slots: Slots
    let firing: Firing
    /// How often it looks without being rung.
    let interval: Duration
    let status: TimerStatus
    let logger: Logger

    /// Orders between being seen here and being re-armed.
    private let claimed = Locked<Set<OrderID>>([])

    init(
        pool: PostgresPool, bell: Bell, intents: IntentQueue, slots: Slots, firing: Firing, interval: Duration,
        readiness: Readiness, logger: Logger
    ) {
        self.pool = pool
        self.bell = bell
        self.intents = intents
        self.slots = slots
        self.firing = firing
        self.interval = interval
        status = TimerStatus(readiness: readiness, logger: logger)
        self.logger = logger
    }

    /// Fires until the graceful shutdown, then waits for the requests that are on their way.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    try? await cancelWhenGracefulShutdown {
                        while true {
                            bell.ring()
                            try await Task.sleep(for: interval)
                        }
                    }
                }
                group.addTask { await performCommitted() }
                for await _ in bell.rings {
                    for due in await look() {
                        group.addTask { await fire(due) }
                    }
                }
            }
        } onGracefulShutdown: {
            bell.silence()
            intents.finish()
        }
        try Task.checkCancellation()
    }

    /// Makes the requests whose intents were committed with another step; each holds its slot already.
    private func performCommitted() async {
        await withDiscardingTaskGroup { group in
            for await intent in intents.intents {
                group.addTask {
                    await firing.perform(intent)
                    if slots.giveBack(intent.due) { bell.ring() }
                }
            }
        }
    }

    /// The orders that are due and have a slot, each claimed.
    private func look() async -> [DueOrder] {
        let due: [DueOrder]
        do {
            due = try await dueOrders()
            status.looked()
        } catch {
            if !Task.isCancelled { status.cannotLook(error) }
            return []
        }
        return due.filter { order in
            guard claimed.withLock({ $0.insert(order.order).inserted }) else { return false }
            guard slots.take(for: order) else {
                claimed.withLock { _ = $0.remove(order.order) }
                return false
            }
            return true
        }
    }

    private func fire(_ due: DueOrder) async {
        let error = await firing.fire(due) { claimed.withLock { _ = $0.remove(due.order) } }
        if slots.giveBack(due) { bell.ring() }
        guard let error else { return status.fired(due.order) }
        guard !Task.isCancelled else { return }
        // It keeps no slot, and nobody here looks at it again, until its pause is over.
        let pause = status.cannotFire(due.order, error)
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
        claimed.withLock { _ = $0.remove(due.order) }
    }

    /// The most orders in hand that a look leaves out. Those with a slot are far fewer; a bad night may leave more that wait
    /// for their next try, and ``look()`` passes over these by itself.
    private static let leftOut = 10_000

    /// Reads what is due without locks.
    private func dueOrders() async throws -> [DueOrder] {
        let queue = DueQueue(inbox: firing.desk.store.inbox)
        let inHand = claimed.withLock { Set($0.prefix(Self.leftOut)) }
        let free = slots.free
        let found = try await pool.withConnection { connection in
            try await queue.read(free, without: inHand, on: connection)
        }
        if slots.looked(found, of: free, isCutShort: found.count == DueQueue.limit) { bell.ring() }
        return found
    }
}
