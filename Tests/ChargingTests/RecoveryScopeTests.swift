import Contracts
import Testing

@testable import Charging

@Suite("A database that loses its last transactions")
struct RecoveryScopeTests {
    @Test(
        "charges nobody twice, wherever it begins anew, and ends each payment as the acquirer's book has it",
        arguments: 0..<8)
    func random(seed: UInt64) async {
        var random = RandomChoices(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
        for _ in 1...250 {
            await Task.yield()
            let charges = SmallScopeTests.charges
            var simulation = ChargingSimulation(fate: SmallScopeTests.fate(random.truth, random.truth))
            // After each step: the order's rows, the facts told so far and the commands read so far.
            var states = [(order: simulation.order, published: 0, read: 0)]
            var commands: [OrderInput] = []
            for _ in 1...60 {
                let events = simulation.possible(charges: charges)
                let event = events[Int(random.next() % UInt64(events.count))]
                simulation.happen(event)
                switch event {
                case .charge(let charge): commands.append(.charge(charge, mayHaveBeenSent: true))
                case .cancel: commands.append(.close(Sample.cancel))
                default: break
                }
                states.append((simulation.order, simulation.journal.published.count, commands.count))
                guard random.next() % 15 == 0 else { continue }
                states = Array(states.prefix(1 + Int(random.next() % UInt64(states.count))))
                guard let state = states.last else { return }
                let unpublished = Int(random.next() % UInt64(simulation.journal.published.count - state.published + 1))
                simulation.recover(
                    state.order, after: state.published, journal: simulation.journal.published.count - unpublished,
                    rereading: Array(commands.dropFirst(state.read)))
                // What lies behind cannot be lost again: it was written anew.
                states = [(simulation.order, simulation.journal.published.count, commands.count)]
            }
            SmallScopeTests.settle(&simulation)
            #expect(simulation.broken.isEmpty, "told \(simulation.facts)")
            for operation in simulation.order.operations {
                let truth = simulation.acquirer.booked[operation.charge.payment]
                switch operation.state.phase {
                case .succeeded, .lateSuccess: #expect(truth == .paid)
                case .declined, .refused: #expect(truth != .paid)
                case .unknown, .submitting: #expect(truth == nil)
                case .created, .pending, .conflicted, .expired: Issue.record("ended as \(operation.state.phase)")
                }
            }
            #expect(
                simulation.acquirer.booked.keys.allSatisfy { key in
                    simulation.order.operations.contains { $0.charge.payment == key }
                }, "the acquirer has a payment that nobody remembers")
        }
    }
}
