/// Decides who gets which connection of a pool; pure.
///
/// A slot is the place of one connection. Waiters are served first come, first served, and their number is bounded.
struct PoolMachine {
    typealias Slot = Int
    typealias Waiter = Int

    enum Acquisition: Equatable {
        case lease(Slot)
        case wait
        case refuse(PostgresError.Code)
    }

    enum Offer: Equatable {
        /// The connection goes to this waiter.
        case hand(to: Waiter)
        /// The connection is kept for the next caller.
        case keep
        /// The connection is to be closed.
        case retire
    }

    private let maximumWaiters: Int
    /// The last one returned is lent first: its caches are warm.
    private(set) var idle: [Slot] = []
    private(set) var leased: Set<Slot> = []
    private var waiters: [(id: Waiter, deadline: ContinuousClock.Instant)] = []
    private(set) var isClosed = false

    init(maximumWaiters: Int) { self.maximumWaiters = maximumWaiters }

    var waiting: Int { waiters.count }

    /// A caller needs a connection.
    mutating func acquire(_ waiter: Waiter, until deadline: ContinuousClock.Instant) -> Acquisition {
        guard !isClosed else { return .refuse(.poolClosed) }
        if let slot = idle.popLast() {
            leased.insert(slot)
            return .lease(slot)
        }
        guard waiters.count < maximumWaiters else { return .refuse(.poolExhausted) }
        waiters.append((waiter, deadline))
        return .wait
    }

    /// The slot has a free connection: a new one, or one that was checked.
    mutating func offer(_ slot: Slot) -> Offer {
        precondition(!leased.contains(slot) && !idle.contains(slot), "a connection is offered once")
        guard !isClosed else { return .retire }
        guard !waiters.isEmpty else {
            idle.append(slot)
            return .keep
        }
        leased.insert(slot)
        return .hand(to: waiters.removeFirst().id)
    }

    /// A connection comes back; when it is not usable it is closed and its slot connects anew.
    mutating func release(_ slot: Slot, isUsable: Bool) -> Offer {
        precondition(leased.remove(slot) != nil, "a connection is returned once")
        return isUsable ? offer(slot) : .retire
    }

    /// Takes a free connection aside to check it; false when it is lent.
    mutating func setAside(_ slot: Slot) -> Bool {
        guard let position = idle.firstIndex(of: slot) else { return false }
        idle.remove(at: position)
        return true
    }

    /// A waiter stops waiting; false when it got a connection before.
    mutating func cancel(_ waiter: Waiter) -> Bool {
        guard let position = waiters.firstIndex(where: { $0.id == waiter }) else { return false }
        waiters.remove(at: position)
        return true
    }

    /// The waiters whose time is over.
    mutating func expire(at now: ContinuousClock.Instant) -> [Waiter] {
        let late = waiters.filter { $0.deadline <= now }.map(\.id)
        waiters.removeAll { $0.deadline <= now }
        return late
    }

    /// No more leases: gives the free connections, to be closed, and the waiters, to be refused.
    mutating func close() -> (idle: [Slot], waiters: [Waiter]) {
        isClosed = true
        defer {
            idle = []
            waiters = []
        }
        return (idle, waiters.map(\.id))
    }
}
