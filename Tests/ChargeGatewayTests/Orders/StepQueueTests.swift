import Contracts
import Testing

@testable import ChargeGateway

@Suite("Steps that wait for their group")
struct StepQueueTests {
    private let orders = (0..<6).map { _ in Shop.order() }
    private typealias Group = StepQueue.Group

    @Test("begin at once while a group is free, and gather while none is")
    func gather() {
        var queue = StepQueue(StepQueue.Limits(groups: 1, steps: 3))
        #expect(queue.add(1, of: orders[0]) == Group(steps: [1]))
        for step in 2...5 { #expect(queue.add(step, of: orders[step]) == nil) }
        #expect(queue.end(Group(steps: [1])) == Group(steps: [2, 3, 4]))
        #expect(queue.end(Group(steps: [2, 3, 4])) == Group(steps: [5]))
        #expect(queue.end(Group(steps: [5])) == nil)
    }

    @Test("of one order are never in two groups, nor twice in one, and stay in their order")
    func oneOrder() {
        var queue = StepQueue(StepQueue.Limits(groups: 2, steps: 8))
        #expect(queue.add(1, of: orders[0]) == Group(steps: [1]))
        #expect(queue.add(2, of: orders[0]) == nil, "the order is in a group")
        #expect(queue.add(3, of: orders[1]) == Group(steps: [3]))
        for (step, order) in [(4, 2), (5, 2), (6, 1)] { #expect(queue.add(step, of: orders[order]) == nil) }
        #expect(queue.end(Group(steps: [1])) == Group(steps: [2, 4]), "5 is of an order that 4 has taken")
        #expect(queue.end(Group(steps: [3])) == Group(steps: [6]))
        #expect(queue.end(Group(steps: [2, 4])) == Group(steps: [5]))
    }

    @Test("cost the same however many wait for their order: anybody may repeat a notification")
    func flood() {
        var queue = StepQueue()
        #expect(queue.add(0, of: orders[0]) == Group(steps: [0]))
        let begin = ContinuousClock.now
        for step in 1...20_000 { #expect(queue.add(step, of: orders[0]) == nil) }
        #expect(queue.add(20_001, of: orders[1]) == Group(steps: [20_001]), "another order waits for none of them")
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(queue.end(Group(steps: [20_001])) == nil)
        #expect(queue.end(Group(steps: [0])) == Group(steps: [1]))
    }

    @Test("fill a group, and those left over the next one, where several may run")
    func overflow() {
        var queue = StepQueue(StepQueue.Limits(groups: 2, steps: 2))
        let begun = [queue.add(1, of: orders[0]), queue.add(2, of: orders[1])]
        #expect(begun == [Group(steps: [1]), Group(steps: [2])])
        for step in 3...7 { #expect(queue.add(step, of: orders[(step - 1) % 6]) == nil) }
        #expect(queue.end(Group(steps: [1])) == Group(steps: [3, 4]))
        #expect(queue.end(Group(steps: [2])) == Group(steps: [5, 6]))
        #expect(queue.end(Group(steps: [3, 4])) == Group(steps: [7]))
        #expect(queue.end(Group(steps: [5, 6])) == nil)
    }

    @Test("are left out when they are no longer wanted, unless their group has begun")
    func cancel() {
        var queue = StepQueue(StepQueue.Limits(groups: 1, steps: 8))
        #expect(queue.add(1, of: orders[0]) == Group(steps: [1]))
        for step in 2...3 { #expect(queue.add(step, of: orders[step]) == nil) }
        let cancelled = [2, 1, 2].map { queue.cancel($0) }
        #expect(cancelled == [true, false, false])
        #expect(queue.end(Group(steps: [1])) == Group(steps: [3]))
    }
}
