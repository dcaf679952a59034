/// Brings the inputs of several callers together; pure.
///
/// An input begins a group at once when fewer groups than allowed are running. Inputs that arrive meanwhile are the next
/// group. No input waits artificially; under load, groups grow. Groups run in parallel; no key is in two.
struct GroupQueue<Key: Hashable & Sendable>: Sendable {
    typealias ID = Int

    struct Group: Equatable, Sendable {
        /// In their order of arrival. The task of the first one does the work for all.
        let inputs: [ID]
    }

    private struct Waiting {
        let id: ID
        let key: Key?
        let size: Int
    }

    private let limits: GroupLimits
    private var waiting: [Waiting] = []
    private var running: [ID: Set<Key>] = [:]

    init(_ limits: GroupLimits = GroupLimits()) { self.limits = limits }

    /// - Returns: a group that is to be begun.
    mutating func add(_ id: ID, of key: Key?, size: Int = 1) -> Group? {
        // While a group may be begun, all that wait do so for the keys of those that run: they need no look, of which
        // many for one key would each cost more than the one before.
        guard running.count < limits.groups, !isRunning(key) else {
            waiting.append(Waiting(id: id, key: key, size: size))
            return nil
        }
        running[id] = key.map { [$0] } ?? []
        return Group(inputs: [id])
    }

    /// A group has ended.
    ///
    /// - Returns: a group that is to be begun.
    mutating func end(_ group: Group) -> Group? {
        guard let leader = group.inputs.first, running.removeValue(forKey: leader) != nil else {
            preconditionFailure("a group ends once")
        }
        return next()
    }

    /// Cancels a waiting input.
    ///
    /// - Returns: false when its group has begun.
    mutating func cancel(_ id: ID) -> Bool {
        guard let position = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: position)
        return true
    }

    /// Cancels all that wait.
    mutating func cancelAll() -> [ID] {
        defer { waiting = [] }
        return waiting.map(\.id)
    }

    private func isRunning(_ key: Key?) -> Bool {
        guard let key else { return false }
        return running.values.contains { $0.contains(key) }
    }

    private mutating func next() -> Group? {
        guard running.count < limits.groups else { return nil }
        var keys: Set<Key> = []
        var inputs: [ID] = []
        var left: [Waiting] = []
        var size = 0
        for input in waiting {
            let isFull = !inputs.isEmpty && size + input.size > limits.size
            if isFull || input.key.map(keys.contains) == true || isRunning(input.key) {
                left.append(input)
                // What comes later and is smaller does not go before it.
                if isFull { size = limits.size }
            } else {
                if let key = input.key { keys.insert(key) }
                inputs.append(input.id)
                size += input.size
            }
        }
        guard let leader = inputs.first else { return nil }
        waiting = left
        running[leader] = keys
        return Group(inputs: inputs)
    }
}

/// How large groups become, and how many run.
public struct GroupLimits: Sendable {
    /// Groups under way at once.
    var groups: Int
    /// The sizes of a group's inputs together.
    var size: Int
    /// Inputs that may be there at once; nil: any number. With a limit all that wait fail when the database cannot be
    /// reached: their callers have clients that wait.
    var inputs: Int?

    public init(groups: Int = 2, size: Int = 128, inputs: Int? = nil) {
        self.groups = groups
        self.size = size
        self.inputs = inputs
    }
}
