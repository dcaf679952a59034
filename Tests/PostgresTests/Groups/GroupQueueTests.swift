import Testing

@testable import OrchardPostgres

@Suite("Inputs that wait for their group")
struct GroupQueueTests {
    private let keys = Array("abcdef")
    private typealias Queue = GroupQueue<Character>
    private typealias Group = Queue.Group

    @Test("begin at once while no group runs, and gather while one does")
    func gather() {
        var queue = Queue(GroupLimits(groups: 1, size: 3))
        #expect(queue.groups(from: queue.add(1, of: keys[0])) == [[1]])
        for input in 2...5 { #expect(queue.add(input, of: keys[input]) == nil) }
        #expect(queue.groups(after: [1]) == [[2, 3, 4]])
        #expect(queue.groups(after: [2, 3, 4]) == [[5]])
        #expect(queue.groups(after: [5]) == [])
    }

    @Test("are in the group of one that came together with them and has not begun it")
    func together() {
        var queue = Queue()
        #expect(queue.add(1, of: keys[0]) == 1, "the first leads")
        for (input, key) in [(2, 1), (3, 0), (4, 2)] { #expect(queue.add(input, of: keys[key]) == nil) }
        #expect(queue.groups(from: 1) == [[1, 2, 4]], "3 is of the leader's key")
        #expect(queue.groups(after: [1, 2, 4]) == [[3]])
    }

    @Test("are large from a number of inputs on, the leader counted")
    func enough() {
        var queue = Queue(GroupLimits(groups: 1, size: 8))
        #expect(queue.add(1, of: keys[0], size: 3) == 1)
        #expect(queue.add(2, of: nil, size: 4) == nil)
        #expect(!queue.isLarge)
        #expect(queue.add(3, of: nil) == nil)
        #expect(queue.isLarge)
        #expect(queue.groups(from: 1) == [[1, 2, 3]])
        #expect(!queue.isLarge, "inputs of a group that has begun are not counted")
    }

    @Test("begin a group beside another one when theirs is as large as allowed")
    func besides() {
        var queue = Queue(GroupLimits(groups: 2, size: 8))
        #expect(queue.add(1, of: keys[0]) == 1)
        #expect(queue.add(2, of: nil) == nil)
        #expect(queue.groups(from: 1) == [[1, 2]])
        #expect(queue.add(3, of: nil, size: 6) == nil, "a group of its own would cost more than a larger one")
        #expect(queue.add(4, of: keys[0]) == nil, "the key is in a group")
        #expect(queue.add(5, of: keys[1]) == nil)
        #expect(queue.groups(from: queue.add(6, of: nil)) == [[3, 5, 6]])
        #expect(queue.add(7, of: keys[2], size: 8) == nil, "two groups run")
        #expect(queue.groups(after: [3, 5, 6]) == [[7]])
        #expect(queue.groups(after: [1, 2]) == [], "what waits is small")
        #expect(queue.groups(after: [7]) == [[4]])
    }

    @Test("begin a group beside another one when it is large: more would gain little")
    func large() {
        var queue = Queue(GroupLimits(groups: 2, size: 1_000))
        #expect(queue.groups(from: queue.add(1, of: keys[0], size: 300)) == [[1]])
        #expect(queue.add(2, of: keys[1], size: 63) == nil)
        #expect(queue.groups(from: queue.add(3, of: keys[2])) == [[2, 3]])
    }

    @Test("of one key are never in two groups, nor twice in one, and stay in their order")
    func oneKey() {
        var queue = Queue(GroupLimits(groups: 2, size: 8))
        #expect(queue.groups(from: queue.add(1, of: keys[0])) == [[1]])
        #expect(queue.lasts(Group(inputs: [1])) == nil)
        #expect(queue.add(2, of: keys[0]) == nil, "the key is in a group")
        #expect(queue.groups(from: queue.add(3, of: keys[1])) == [[3]])
        for (input, key) in [(4, 2), (5, 2), (6, 1)] { #expect(queue.add(input, of: keys[key]) == nil) }
        #expect(queue.groups(after: [1]) == [], "2 is ready, and the group that runs has not ended")
        #expect(queue.groups(after: [3]) == [[2, 4, 6]], "5 is of a key that 4 has taken")
        #expect(queue.groups(after: [2, 4, 6]) == [[5]])
    }

    @Test("stay behind an older one of their key that became free while a leader was called")
    func freed() {
        var queue = Queue(GroupLimits(groups: 2, size: 8))
        #expect(queue.groups(from: queue.add(1, of: keys[0])) == [[1]])
        #expect(queue.lasts(Group(inputs: [1])) == nil)
        #expect(queue.add(2, of: keys[0]) == nil)
        #expect(queue.add(3, of: keys[1]) == 3, "called")
        #expect(queue.end(Group(inputs: [1])) == nil, "a group is about to begin")
        #expect(queue.add(4, of: keys[0]) == nil)
        #expect(queue.groups(from: 3) == [[3, 2]])
        #expect(queue.groups(after: [3, 2]) == [[4]])
    }

    @Test("cost the same however many wait for their key: anybody may repeat a notification")
    func flood() {
        var queue = Queue()
        #expect(queue.groups(from: queue.add(0, of: keys[0])) == [[0]])
        #expect(queue.lasts(Group(inputs: [0])) == nil)
        let begin = ContinuousClock.now
        for input in 1...20_000 { #expect(queue.add(input, of: keys[0]) == nil) }
        #expect(queue.groups(from: queue.add(20_001, of: keys[1])) == [[20_001]], "another key waits for none of them")
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(queue.groups(after: [20_001]) == [])
        #expect(queue.groups(after: [0]) == [[1]])
    }

    @Test("fill a group, and those left over the next one, where several may run")
    func overflow() {
        var queue = Queue(GroupLimits(groups: 2, size: 2))
        #expect(queue.add(1, of: keys[0]) == 1)
        for input in 2...6 { #expect(queue.add(input, of: keys[input - 1]) == nil) }
        #expect(queue.groups(from: 1) == [[1, 2], [3, 4]])
        #expect(queue.groups(after: [1, 2]) == [[5, 6]])
        #expect(queue.groups(after: [3, 4]) == [])
        #expect(queue.groups(after: [5, 6]) == [])
    }

    @Test("are left out when they are no longer wanted, unless their group begins")
    func cancel() {
        var queue = Queue(GroupLimits(groups: 1, size: 8))
        #expect(queue.groups(from: queue.add(1, of: keys[0])) == [[1]])
        for input in 2...4 { #expect(queue.add(input, of: keys[input]) == nil) }
        var cancelled = [2, 1, 2].map { queue.cancel($0, of: keys[$0 % 6]) }
        #expect(cancelled == [true, false, false])
        #expect(queue.end(Group(inputs: [1])) == 3)
        cancelled = [queue.cancel(3, of: keys[3])]
        #expect(cancelled == [false], "it was called")
        #expect(queue.cancelAll() == [4])
        #expect(queue.groups(from: 3) == [[3]])
        #expect(queue.groups(after: [3]) == [])
    }

    @Test("leave their place to the next one of their key")
    func cancelFirst() {
        var queue = Queue(GroupLimits(groups: 1, size: 8))
        #expect(queue.groups(from: queue.add(1, of: keys[0])) == [[1]])
        for (input, key) in [(2, 1), (3, 1), (4, 1), (5, 0)] { #expect(queue.add(input, of: keys[key]) == nil) }
        let cancelled = [(2, 1), (4, 1), (5, 0)].map { queue.cancel($0.0, of: keys[$0.1]) }
        #expect(cancelled == [true, true, true])
        #expect(queue.groups(after: [1]) == [[3]])
        #expect(queue.groups(from: queue.add(6, of: keys[0])) == [])
        #expect(queue.cancelAll() == [6])
        #expect(queue.groups(after: [3]) == [])
        #expect(queue.groups(from: queue.add(7, of: keys[0])) == [[7]])
    }

    @Test("need not be as many as those of a group that lasts long")
    func lasting() {
        var queue = Queue(GroupLimits(groups: 2, size: 8))
        #expect(queue.groups(from: queue.add(1, of: keys[0], size: 5)) == [[1]])
        #expect(queue.add(2, of: keys[1]) == nil)
        #expect(queue.groups(from: queue.lasts(Group(inputs: [1]))) == [[2]])
        #expect(queue.groups(after: [2]) == [])
        #expect(queue.groups(from: queue.add(3, of: keys[1])) == [[3]])
    }

    @Test("are as many as their sizes allow: a larger one is a group by itself, and no smaller one goes before it")
    func sizes() {
        var queue = Queue(GroupLimits(groups: 1, size: 10))
        #expect(queue.groups(from: queue.add(1, of: keys[0], size: 50)) == [[1]])
        for (input, size) in [(2, 4), (3, 6), (4, 20), (5, 1)] {
            #expect(queue.add(input, of: keys[input], size: size) == nil)
        }
        #expect(queue.groups(after: [1]) == [[2, 3]])
        #expect(queue.groups(after: [2, 3]) == [[4]])
        #expect(queue.groups(after: [4]) == [[5]])
    }
}

extension GroupQueue {
    /// Lets an input begin its group, and whoever is called then.
    fileprivate mutating func groups(from leader: ID?) -> [[ID]] {
        var groups: [[ID]] = []
        var next = leader
        while let leader = next {
            let begun = begin(leader)
            groups.append(begun.group.inputs)
            next = begun.next
        }
        return groups
    }

    /// Ends a group, and lets those begin that are called then.
    fileprivate mutating func groups(after inputs: [ID]) -> [[ID]] { groups(from: end(Group(inputs: inputs))) }
}
