import Contracts

/// Brings steps of many orders together; pure.
///
/// A step begins a group at once when fewer groups than allowed are running. Steps that arrive meanwhile are the next group.
/// No step waits artificially; under load, groups grow. Groups run in parallel; no order is in two.
struct StepQueue {
    typealias ID = Int

    struct Group: Equatable, Sendable {
        /// In their order of arrival. The task of the first one does the work for all.
        let steps: [ID]
    }

    struct Limits: Sendable {
        /// Groups under way at once.
        var groups = 2
        /// Steps of a group.
        var steps = 128
    }

    private struct Waiting {
        let id: ID
        let order: OrderID
    }

    private let limits: Limits
    private var waiting: [Waiting] = []
    private var running: [ID: Set<OrderID>] = [:]

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// - Returns: a group that is to be begun.
    mutating func add(_ id: ID, of order: OrderID) -> Group? {
        // While a group may be begun, all that wait do so for the orders of those that run: they need no look, of which
        // many for one order would each cost more than the one before.
        guard running.count < limits.groups, !isRunning(order) else {
            waiting.append(Waiting(id: id, order: order))
            return nil
        }
        running[id] = [order]
        return Group(steps: [id])
    }

    /// A group has ended.
    ///
    /// - Returns: a group that is to be begun.
    mutating func end(_ group: Group) -> Group? {
        guard let leader = group.steps.first, running.removeValue(forKey: leader) != nil else {
            preconditionFailure("a group ends once")
        }
        return next()
    }

    /// Cancels a waiting step.
    ///
    /// - Returns: false when its group has begun.
    mutating func cancel(_ id: ID) -> Bool {
        guard let position = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: position)
        return true
    }

    private func isRunning(_ order: OrderID) -> Bool { running.values.contains { $0.contains(order) } }

    private mutating func next() -> Group? {
        guard running.count < limits.groups else { return nil }
        var orders: Set<OrderID> = []
        var steps: [ID] = []
        var left: [Waiting] = []
        for step in waiting {
            if steps.count == limits.steps || orders.contains(step.order) || isRunning(step.order) {
                left.append(step)
            } else {
                orders.insert(step.order)
                steps.append(step.id)
            }
        }
        guard let leader = steps.first else { return nil }
        waiting = left
        running[leader] = orders
        return Group(steps: steps)
    }
}
