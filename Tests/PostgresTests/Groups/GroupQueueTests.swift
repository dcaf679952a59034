import Testing

@testable import OrchardPostgres

@Suite("Inputs that wait for their group")
struct GroupQueueTests {
    private let keys = Array("abcdef")
    private typealias Queue = GroupQueue<Character>
    private typealias Group = Queue.Group

    @Test("begin at once while a group is free, and gather while none is")
    func gather() {
        var queue = Queue(GroupLimits(groups: 1, size: 3))
        #expect(queue.add(1, of: keys[0]) == Group(inputs: [1]))
        for input in 2...5 { #expect(queue.add(input, of: keys[input]) == nil) }
        #expect(queue.end(Group(inputs: [1])) == Group(inputs: [2, 3, 4]))
        #expect(queue.end(Group(inputs: [2, 3, 4])) == Group(inputs: [5]))
        #expect(queue.end(Group(inputs: [5])) == nil)
    }

    @Test("of one key are never in two groups, nor twice in one, and stay in their order")
    func oneKey() {
        var queue = Queue(GroupLimits(groups: 2, size: 8))
        #expect(queue.add(1, of: keys[0]) == Group(inputs: [1]))
        #expect(queue.add(2, of: keys[0]) == nil, "the key is in a group")
        #expect(queue.add(3, of: keys[1]) == Group(inputs: [3]))
        for (input, key) in [(4, 2), (5, 2), (6, 1)] { #expect(queue.add(input, of: keys[key]) == nil) }
        #expect(queue.end(Group(inputs: [1])) == Group(inputs: [2, 4]), "5 is of a key that 4 has taken")
        #expect(queue.end(Group(inputs: [3])) == Group(inputs: [6]))
        #expect(queue.end(Group(inputs: [2, 4])) == Group(inputs: [5]))
    }

    @Test("cost the same however many wait for their key: anybody may repeat a notification")
    func flood() {
        var queue = Queue()
        #expect(queue.add(0, of: keys[0]) == Group(inputs: [0]))
        let begin = ContinuousClock.now
        for input in 1...20_000 { #expect(queue.add(input, of: keys[0]) == nil) }
        #expect(queue.add(20_001, of: keys[1]) == Group(inputs: [20_001]), "another key waits for none of them")
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(queue.end(Group(inputs: [20_001])) == nil)
        #expect(queue.end(Group(inputs: [0])) == Group(inputs: [1]))
    }

    @Test("fill a group, and those left over the next one, where several may run")
    func overflow() {
        var queue = Queue(GroupLimits(groups: 2, size: 2))
        let begun = [queue.add(1, of: keys[0]), queue.add(2, of: keys[1])]
        #expect(begun == [Group(inputs: [1]), Group(inputs: [2])])
        for input in 3...7 { #expect(queue.add(input, of: keys[(input - 1) % 6]) == nil) }
        #expect(queue.end(Group(inputs: [1])) == Group(inputs: [3, 4]))
        #expect(queue.end(Group(inputs: [2])) == Group(inputs: [5, 6]))
        #expect(queue.end(Group(inputs: [3, 4])) == Group(inputs: [7]))
        #expect(queue.end(Group(inputs: [5, 6])) == nil)
    }

    @Test("are left out when they are no longer wanted, unless their group has begun")
    func cancel() {
        var queue = Queue(GroupLimits(groups: 1, size: 8))
        #expect(queue.add(1, of: keys[0]) == Group(inputs: [1]))
        for input in 2...3 { #expect(queue.add(input, of: keys[input]) == nil) }
        let cancelled = [2, 1, 2].map { queue.cancel($0) }
        #expect(cancelled == [true, false, false])
        #expect(queue.end(Group(inputs: [1])) == Group(inputs: [3]))
    }

    @Test("are as many as their sizes allow: a larger one is a group by itself, and no smaller one goes before it")
    func sizes() {
        var queue = Queue(GroupLimits(groups: 1, size: 10))
        #expect(queue.add(1, of: keys[0], size: 50) == Group(inputs: [1]))
        for (input, size) in [(2, 4), (3, 6), (4, 20), (5, 1)] {
            #expect(queue.add(input, of: keys[input], size: size) == nil)
        }
        #expect(queue.end(Group(inputs: [1])) == Group(inputs: [2, 3]))
        #expect(queue.end(Group(inputs: [2, 3])) == Group(inputs: [4]))
        #expect(queue.end(Group(inputs: [4])) == Group(inputs: [5]))
    }
}
