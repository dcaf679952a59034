/// Brings the inputs of several callers together; pure.
///
/// An input begins a group when none is running. Inputs that arrive meanwhile are the next group. It begins at the end of
/// the one before, or beside it when it is large: two small groups cost more than one. No input waits for a timer; under
/// load, groups grow. No key is in two groups that run.
///
/// A group begins in two steps: its leader is called, first lets the threads and tasks run that are ready, and takes the
/// inputs. So inputs that arrived at the same time are in one group.
struct GroupQueue<Key: Hashable & Sendable>: Sendable {
    /// Numbers of inputs, in their order of arrival.
    typealias ID = Int

    struct Group: Equatable, Sendable {
        /// The leader first, then in their order of arrival. The leader's task does the work for all.
        let inputs: [ID]
    }

    private struct Input {
        let id: ID
        let key: Key?
        let size: Int
    }

    private struct Running {
        let keys: [Key]
        /// Whether also a small group may begin beside it.
        var lasts = false
    }

    private let limits: GroupLimits
    /// In their order of arrival: of each key one at most, and none of a key in a group.
    private var ready: [Input] = []
    private var readySize = 0
    /// Those that wait for another input of their key. Each key that is ready or in a group is here, mostly with nothing.
    /// However many wait for their key, the others cost the same: anybody may repeat a notification.
    private var behind: [Key: [Input]] = [:]
    /// The one that was called and has not begun.
    private var leader: Input?
    private var running: [ID: Running] = [:]

    init(_ limits: GroupLimits = GroupLimits()) { self.limits = limits }

    /// - Returns: an input that is to begin a group now, perhaps this one.
    mutating func add(_ id: ID, of key: Key?, size: Int = 1) -> ID? {
        precondition(size > 0, "an input has a size of 1 or more")
        let input = Input(id: id, key: key, size: size)
        if let key {
            guard behind[key] == nil else {
                behind[key]?.append(input)
                return nil
            }
            behind[key] = []
        }
        ready.append(input)
        readySize += size
        return callLeader()
    }

    /// Whether the group that begins next would gain little by more inputs.
    var isLarge: Bool { (leader?.size ?? 0) + readySize >= limits.large }

    /// The leader begins its group.
    ///
    /// - Returns: the group, and an input that is to begin another one.
    mutating func begin(_ id: ID) -> (group: Group, next: ID?) {
        guard let leader, leader.id == id else { preconditionFailure("who begins a group was called") }
        self.leader = nil
        var size = leader.size
        // What comes later and is smaller does not go before one that is too large.
        let others = ready.prefix { input in
            guard size + input.size <= limits.size else { return false }
            size += input.size
            return true
        }
        let inputs = [leader] + others
        ready.removeFirst(others.count)
        readySize -= size - leader.size
        running[id] = Running(keys: inputs.compactMap { $0.key })
        return (Group(inputs: inputs.map { $0.id }), callLeader())
    }

    /// A group lasts long: others need not be large to begin beside it.
    ///
    /// - Returns: an input that is to begin another one.
    mutating func lasts(_ group: Group) -> ID? {
        if let leader = group.inputs.first { running[leader]?.lasts = true }
        return callLeader()
    }

    /// A group has ended.
    ///
    /// - Returns: an input that is to begin another one.
    mutating func end(_ group: Group) -> ID? {
        guard let leader = group.inputs.first, let ended = running.removeValue(forKey: leader) else {
            preconditionFailure("a group ends once")
        }
        free(ended.keys)
        return callLeader()
    }

    /// Cancels a waiting input.
    ///
    /// - Returns: false when its group begins or has begun.
    mutating func cancel(_ id: ID, of key: Key?) -> Bool {
        if let position = ready.firstIndex(where: { $0.id == id }) {
            readySize -= ready.remove(at: position).size
            if let key { free([key]) }
            return true
        }
        guard let key, let position = behind[key]?.firstIndex(where: { $0.id == id }) else { return false }
        behind[key]?.remove(at: position)
        return true
    }

    /// Cancels all that wait for another's group.
    mutating func cancelAll() -> [ID] {
        let cancelled = ready.map(\.id) + behind.values.joined().map(\.id)
        behind = behind.mapValues { _ in [] }
        for input in ready { if let key = input.key { behind[key] = nil } }
        (ready, readySize) = ([], 0)
        return cancelled
    }

    /// The next input of each key is ready.
    private mutating func free(_ keys: [Key]) {
        let count = ready.count
        for key in keys {
            if behind[key]?.isEmpty ?? true {
                behind[key] = nil
            } else if let next = behind[key]?.removeFirst() {
                ready.append(next)
                readySize += next.size
            }
        }
        if ready.count > count { ready.sort { $0.id < $1.id } }
    }

    /// Calls the first that is ready, when its group may begin.
    private mutating func callLeader() -> ID? {
        guard leader == nil, running.count < limits.groups, !ready.isEmpty else { return nil }
        let mayBeSmall = running.values.allSatisfy(\.lasts)
        guard mayBeSmall || readySize >= limits.large else { return nil }
        let first = ready.removeFirst()
        readySize -= first.size
        leader = first
        return first.id
    }
}

/// How large groups become, and how many run.
public struct GroupLimits: Sendable {
    /// Groups under way at once.
    var groups: Int
    /// The sizes of a group's inputs together.
    var size: Int
    /// From this size on, a group would gain little by more inputs.
    var large: Int { min(size, 64) }
    /// Inputs that may be there at once; nil: any number. With a limit all that wait fail when the database cannot be
    /// reached: their callers have clients that wait.
    var inputs: Int?

    public init(groups: Int = 2, size: Int = 128, inputs: Int? = nil) {
        self.groups = groups
        self.size = size
        self.inputs = inputs
    }
}
