/// Brings the inputs of several callers together; pure.
///
/// An input begins a group at once when none is running. Inputs that arrive meanwhile are the next group. It begins at the
/// end of the one before, or beside it as soon as it is as large: several small groups cost more than a large one. No input
/// waits artificially; under load, groups grow. No key is in two groups that run.
///
/// A group begins in two steps: its leader is called, and takes the inputs when its task runs. So those come along that
/// arrived at the same time.
struct GroupQueue<Key: Hashable & Sendable>: Sendable {
    typealias ID = Int

    struct Group: Equatable, Sendable {
        /// The leader first, then in their order of arrival. The leader's task does the work for all.
        let inputs: [ID]
    }

    private struct Waiting {
        let id: ID
        let key: Key?
        let size: Int
    }

    private struct Running {
        let keys: Set<Key>
        let size: Int
    }

    private let limits: GroupLimits
    private var waiting: [Waiting] = []
    private var running: [ID: Running] = [:]
    /// The one that was called and has not begun. It is the first in `waiting`.
    private var leader: ID?
    /// The keys of those that wait for no running group, and the size of the first input of each key. This spares a look at
    /// all that wait: many for one key would each cost more than the one before.
    private var ready: (keys: Set<Key>, size: Int) = ([], 0)

    init(_ limits: GroupLimits = GroupLimits()) { self.limits = limits }

    /// - Returns: an input that is to begin a group now, perhaps this one.
    mutating func add(_ id: ID, of key: Key?, size: Int = 1) -> ID? {
        precondition(size > 0, "a group is begun for its size")
        let input = Waiting(id: id, key: key, size: size)
        waiting.append(input)
        count(input)
        return callLeader()
    }

    /// The leader begins its group.
    ///
    /// - Returns: the group, and an input that is to begin another one.
    mutating func begin(_ id: ID) -> (group: Group, next: ID?) {
        precondition(id == leader, "who begins a group was called")
        leader = nil
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
        waiting = left
        running[id] = Running(keys: keys, size: size)
        countAll()
        return (Group(inputs: inputs), callLeader())
    }

    /// A group has ended.
    ///
    /// - Returns: an input that is to begin another one.
    mutating func end(_ group: Group) -> ID? {
        guard let leader = group.inputs.first, running.removeValue(forKey: leader) != nil else {
            preconditionFailure("a group ends once")
        }
        countAll()
        return callLeader()
    }

    /// Cancels a waiting input.
    ///
    /// - Returns: false when its group begins or has begun.
    mutating func cancel(_ id: ID) -> Bool {
        guard id != leader, let position = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: position)
        countAll()
        return true
    }

    /// Cancels all that wait for another's group.
    mutating func cancelAll() -> [ID] {
        let cancelled = waiting.map(\.id).filter { $0 != leader }
        waiting.removeAll { $0.id != leader }
        countAll()
        return cancelled
    }

    private func isRunning(_ key: Key?) -> Bool {
        guard let key else { return false }
        return running.values.contains { $0.keys.contains(key) }
    }

    private mutating func countAll() {
        ready = ([], 0)
        for input in waiting { count(input) }
    }

    private mutating func count(_ input: Waiting) {
        guard !isRunning(input.key), input.key.map({ ready.keys.insert($0).inserted }) ?? true else { return }
        ready.size += input.size
    }

    /// Calls the first input whose key is free, when its group may begin.
    private mutating func callLeader() -> ID? {
        let smallest = running.values.map(\.size).min() ?? 1
        guard leader == nil, running.count < limits.groups, ready.size >= min(smallest, limits.size),
            let position = waiting.firstIndex(where: { !isRunning($0.key) })
        else { return nil }
        waiting.insert(waiting.remove(at: position), at: 0)
        leader = waiting[0].id
        return leader
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
