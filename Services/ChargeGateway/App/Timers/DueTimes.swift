import Charging
import Contracts

/// Due times of the orders that this process has stepped or that a sweep has found. Pure.
///
/// The rows decide: an order is stepped only when its row is due. A sweep finds what is missing here; a superfluous entry
/// costs the read of one row.
struct DueTimes {
    /// Requests of one kind to one merchant's account.
    fileprivate struct Queue: Hashable {
        let step: NextStep.Kind
        let acquirer: String
        let account: String
    }

    /// What may be done now.
    struct Dequeued: Equatable {
        var orders: [DueOrder] = []
        /// When something more is due.
        var next: Timestamp?
        /// Whether a queue is used up of which the database has more.
        var isToSweep = false
    }

    private let limit: Int
    private var known: [OrderID: DueTime] = [:]
    /// With entries that hold no more; they are passed over when they come first.
    private var queues: [Queue: TimeHeap] = [:]
    private(set) var entries = 0
    /// Orders between being taken and being set anew.
    private(set) var inProgress: Set<OrderID> = []
    /// Queues of which the database had more than the last sweep could bring.
    private var longer: Set<Queue> = []

    /// - Parameter limit: the most orders that are kept; others are left to the sweeps.
    init(limit: Int = 100_000) { self.limit = limit }

    /// An order was stepped: this is due next, or nothing.
    mutating func set(_ due: DueTime?, of order: OrderID) {
        inProgress.remove(order)
        put(due, of: order)
    }

    /// A sweep found these.
    ///
    /// - Parameter full: the number of orders of a queue that says that there may be more.
    mutating func add(_ found: [DueTime], full: Int) {
        var counts: [Queue: (all: Int, new: Int)] = [:]
        for due in found {
            let isNew = known[due.order.order] == nil && !inProgress.contains(due.order.order)
            counts[due.order.queue, default: (0, 0)].all += 1
            if isNew { counts[due.order.queue, default: (0, 0)].new += 1 }
            if !inProgress.contains(due.order.order) { put(due, of: due.order.order) }
        }
        // One that brought nothing new would be looked at again and again.
        longer = Set(counts.filter { $0.value.all >= full && $0.value.new > 0 }.keys)
    }

    /// An order that was taken may be taken again.
    mutating func release(_ order: OrderID) { inProgress.remove(order) }

    /// Takes what is due, the longest due of each queue in turn, as far as there are slots.
    mutating func dequeue(at time: Timestamp, _ acquiresSlot: (DueOrder) -> Bool) -> Dequeued {
        var taken = Dequeued()
        var open = Array(queues.keys)
        while !open.isEmpty {
            var due: [(queue: Queue, first: DueTime)] = []
            for queue in open {
                guard let first = first(of: queue) else { continue }
                if first.time <= time {
                    due.append((queue, first))
                } else {
                    taken.next = min(first.time, taken.next ?? first.time)
                }
            }
            due.sort { ($0.first.time, $0.first.order.order) < ($1.first.time, $1.first.order.order) }
            open = due.filter { acquiresSlot($0.first.order) }.map { queue, first in
                known[first.order.order] = nil
                inProgress.insert(first.order.order)
                taken.orders.append(first.order)
                return queue
            }
        }
        taken.isToSweep = longer.contains { queue in first(of: queue).map { $0.time > time } ?? true }
        return taken
    }

    /// Whether others wait for a slot that `due` wants: who comes new does not overtake them.
    mutating func isWaiting(before due: DueOrder, at time: Timestamp) -> Bool {
        longer.contains(due.queue) || first(of: due.queue).map { $0.time <= time } == true
    }

    private mutating func put(_ due: DueTime?, of order: OrderID) {
        guard known[order] != due else { return }
        guard let due, known[order] != nil || known.count < limit else {
            known[order] = nil
            return
        }
        known[order] = due
        insert(due)
        guard entries > 1_000 + 2 * known.count else { return }
        queues = [:]
        entries = 0
        for due in known.values { insert(due) }
    }

    private mutating func insert(_ due: DueTime) {
        queues[due.order.queue, default: TimeHeap()].insert(TimeHeap.Entry(time: due.time, order: due.order.order))
        entries += 1
    }

    private mutating func first(of queue: Queue) -> DueTime? {
        while let entry = queues[queue]?.first {
            if let due = known[entry.order], due.time == entry.time, due.order.queue == queue { return due }
            queues[queue]?.removeFirst()
            entries -= 1
        }
        queues[queue] = nil
        return nil
    }
}

extension DueOrder {
    fileprivate var queue: DueTimes.Queue { DueTimes.Queue(step: step, acquirer: acquirer, account: account) }
}

/// A due order, read without a lock.
struct DueOrder: Hashable, Sendable {
    let order: OrderID
    let partition: Int32
    let step: NextStep.Kind
    let acquirer: String
    let account: String
}

/// When something is due for an order, by the database's clock, and what.
struct DueTime: Hashable, Sendable {
    let order: DueOrder
    let time: Timestamp
}
