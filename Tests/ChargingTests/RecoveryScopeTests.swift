import Contracts
import Testing

@testable import Charging

@Suite("A database that loses its last transactions")
struct RecoveryScopeTests {
    @Test(
        "charges nobody twice, wherever it begins anew, and ends each payment as the acquirer's book has it",
        arguments: 0..<8)
    func random(seed: UInt64) async {
        var dice = Dice(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
        for _ in 1...250 {
            await Task.yield()
            let charges = SmallScopeTests.charges
            var world = World(fate: SmallScopeTests.fate(dice.truth, dice.truth))
            // After each step: the order's rows, the facts told so far and the commands read so far.
            var states = [(order: world.order, told: 0, read: 0)]
            var commands: [OrderInput] = []
            for _ in 1...60 {
                let events = world.possible(charges: charges)
                let event = events[Int(dice.next() % UInt64(events.count))]
                world.happen(event)
                switch event {
                case .charge(let charge): commands.append(.charge(charge, mayHaveBeenSent: true))
                case .cancel: commands.append(.cancel(Sample.cancel))
                default: break
                }
                states.append((world.order, world.journal.told.count, commands.count))
                guard dice.next() % 15 == 0 else { continue }
                states = Array(states.prefix(1 + Int(dice.next() % UInt64(states.count))))
                guard let state = states.last else { return }
                let unpublished = Int(dice.next() % UInt64(world.journal.told.count - state.told + 1))
                world.recover(
                    state.order, after: state.told, journal: world.journal.told.count - unpublished,
                    rereading: Array(commands.dropFirst(state.read)))
                // What lies behind cannot be lost again: it was written anew.
                states = [(world.order, world.journal.told.count, commands.count)]
            }
            SmallScopeTests.settle(&world)
            #expect(world.broken.isEmpty, "told \(world.facts)")
            for operation in world.order.operations {
                let truth = world.acquirer.booked[operation.charge.payment]
                switch operation.state.phase {
                case .succeeded, .lateSuccess: #expect(truth == .paid)
                case .declined, .refused: #expect(truth != .paid)
                case .unknown, .submitting: #expect(truth == nil)
                case .created, .pending, .conflicted: Issue.record("ended as \(operation.state.phase)")
                }
            }
            #expect(
                world.acquirer.booked.keys.allSatisfy { key in
                    world.order.operations.contains { $0.charge.payment == key }
                }, "the acquirer has a payment that nobody remembers")
        }
    }
}
