import Charging
import Contracts
import Testing

@testable import ChargeGateway

@Suite("The due times that a process knows")
struct DueTimesTests {
    private func due(_ account: String, _ step: NextStep.Kind = .send, at seconds: Int64) -> DueTime {
        DueTime(
            order: DueOrder(order: Shop.order(), partition: 0, step: step, acquirer: "unionpay", account: account),
            time: Timestamp(seconds: seconds))
    }

    private func set(_ due: [DueTime], in times: inout DueTimes) {
        for due in due { times.set(due, of: due.order.order) }
    }

    private func take(_ times: inout DueTimes, at seconds: Int64, slots: Int = .max) -> DueTimes.Dequeued {
        var left = slots
        return times.dequeue(at: Timestamp(seconds: seconds)) { _ in
            left -= 1
            return left >= 0
        }
    }

    private func isWaiting(_ times: DueTimes, before due: DueTime, at seconds: Int64) -> Bool {
        var times = times
        return times.isWaiting(before: due.order, at: Timestamp(seconds: seconds))
    }

    @Test("are taken when they come, the longest due first, and once")
    func order() {
        var times = DueTimes()
        let all = [due("a", at: 3), due("b", at: 1), due("a", at: 2), due("a", .query, at: 4)]
        set(all, in: &times)
        #expect(take(&times, at: 0) == DueTimes.Dequeued(next: Timestamp(seconds: 1)))
        let first = take(&times, at: 2)
        #expect(first.orders == [all[1].order, all[2].order] && first.next == Timestamp(seconds: 3))
        #expect(times.inProgress == Set(first.orders.map(\.order)))
        #expect(take(&times, at: 9).orders == [all[0].order, all[3].order])
        #expect(take(&times, at: 9) == DueTimes.Dequeued())
    }

    @Test("give each account its turn, and the longest due of all a slot that comes back")
    func turns() {
        var times = DueTimes()
        let all = (1...3).map { due("a", at: $0) } + [due("b", at: 4), due("c", at: 5)]
        set(all, in: &times)
        #expect(take(&times, at: 9, slots: 3).orders == [all[0].order, all[3].order, all[4].order])
        set([due("b", at: 8)], in: &times)
        #expect(take(&times, at: 9, slots: 1).orders == [all[1].order])
    }

    @Test("hold until the order is stepped again")
    func steppedAgain() {
        var times = DueTimes()
        let sent = due("a", at: 5)
        set([sent], in: &times)
        let queried = DueTime(
            order: DueOrder(
                order: sent.order.order, partition: 0, step: .query, acquirer: "unionpay", account: "a"),
            time: Timestamp(seconds: 9))
        set([queried], in: &times)
        #expect(take(&times, at: 8).orders.isEmpty)
        #expect(take(&times, at: 9).orders == [queried.order])
        set([queried], in: &times)
        times.set(nil, of: sent.order.order)
        #expect(take(&times, at: 99) == DueTimes.Dequeued(), "its charge has ended")
    }

    @Test("of an order in hand are not taken from a sweep, but from the step that sets them anew")
    func inProgress() {
        var times = DueTimes()
        let order = due("a", at: 1)
        set([order], in: &times)
        #expect(take(&times, at: 1).orders == [order.order])
        times.add([order], full: 9)
        #expect(take(&times, at: 1).orders.isEmpty)
        times.release(order.order.order)
        times.add([order], full: 9)
        #expect(take(&times, at: 1).orders == [order.order])
        set([order], in: &times)
        #expect(take(&times, at: 1).orders == [order.order])
    }

    @Test("tell who comes new that others wait before it")
    func waiting() {
        var times = DueTimes()
        let (first, new) = (due("a", at: 1), due("a", at: 2))
        set([first], in: &times)
        #expect(!isWaiting(times, before: new, at: 0))
        #expect(isWaiting(times, before: new, at: 2))
        #expect(!isWaiting(times, before: due("b", at: 2), at: 2))
        #expect(!isWaiting(times, before: due("a", .query, at: 2), at: 2))
        _ = take(&times, at: 2)
        #expect(!isWaiting(times, before: new, at: 2), "it has its slot")
    }

    @Test("ask for the next sweep when a queue is used up of which the database has more")
    func sweep() {
        var times = DueTimes()
        let all = (1...4).map { due("a", at: $0) }
        times.add(Array(all[0..<2]), full: 2)
        #expect(isWaiting(times, before: all[3], at: 9))
        #expect(!take(&times, at: 9, slots: 1).isToSweep, "one is left")
        #expect(take(&times, at: 9).isToSweep)
        #expect(isWaiting(times, before: all[3], at: 9), "those that are not here yet")
        // What is in hand is found again until its step is committed: no reason to look at once.
        times.add(Array(all[0..<2]), full: 2)
        #expect(!take(&times, at: 9).isToSweep)
        times.add([all[2]], full: 2)
        #expect(take(&times, at: 9) == DueTimes.Dequeued(orders: [all[2].order]))
    }

    @Test("are as many as are kept, the others are left to the sweeps")
    func limit() {
        var times = DueTimes(limit: 2)
        let all = (1...3).map { due("a", at: $0) }
        set(all, in: &times)
        #expect(take(&times, at: 9).orders == [all[0].order, all[1].order])
    }

    @Test("that hold no more are thrown away before they outnumber the others")
    func garbage() {
        var times = DueTimes()
        let order = due("a", at: 1).order
        for second in 1...100_000 {
            times.set(DueTime(order: order, time: Timestamp(seconds: Int64(second))), of: order.order)
        }
        #expect(times.entries < 2_000)
        #expect(take(&times, at: 100_000).orders == [order])
    }

    @Test("come from the heap in their order, whatever they went in")
    func heap() {
        for count in 0...64 {
            let entries = (0..<count).map { _ in
                TimeHeap.Entry(time: Timestamp(seconds: Int64.random(in: 0..<20)), order: Shop.order())
            }
            var heap = TimeHeap()
            for entry in entries { heap.insert(entry) }
            var out: [TimeHeap.Entry] = []
            while let first = heap.first {
                out.append(first)
                heap.removeFirst()
            }
            #expect(out == entries.sorted())
        }
    }
}
