import Contracts
import Testing

@testable import Charging

@Suite("Every story of a payment after its charge")
struct FollowUpScopeTests {
    @Test(
        "takes and gives back no more than it may, once, and ends as the acquirer's book has it",
        arguments: [OperationKind.sale, .authorisation], 0..<2)
    func random(kind: OperationKind, seed: UInt64) async {
        for story in 1...30 {
            await Task.yield()
            var simulation = Self.simulation(kind, seed, story)
            for _ in 1...50 {
                simulation.happen(Self.event(&simulation))
                if !simulation.broken.isEmpty { break }
            }
            Self.check(&simulation)
            if !simulation.broken.isEmpty { return }
        }
    }

    @Test(
        "does so wherever its database begins anew", arguments: [OperationKind.sale, .authorisation], 0..<2)
    func recovered(kind: OperationKind, seed: UInt64) async {
        for story in 1...30 {
            await Task.yield()
            var simulation = Self.simulation(kind, seed, story)
            var states = [(order: simulation.order, told: simulation.journal.count, read: 0)]
            for _ in 1...50 {
                simulation.happen(Self.event(&simulation))
                states.append((simulation.order, simulation.journal.count, simulation.commands.count))
                guard simulation.random.next() % 15 == 0 else { continue }
                let state = states[Int(simulation.random.next() % UInt64(states.count))]
                let lost = Int(simulation.random.next() % UInt64(simulation.journal.count - state.told + 1))
                simulation.journal.removeLast(lost)
                simulation.recover(
                    state.order, journal: Array(simulation.journal.dropFirst(state.told)),
                    rereading: Array(simulation.commands.dropFirst(state.read)))
                states = [(simulation.order, simulation.journal.count, simulation.commands.count)]
                if !simulation.broken.isEmpty { break }
            }
            Self.check(&simulation)
            if !simulation.broken.isEmpty { return }
        }
    }

    private static func simulation(_ kind: OperationKind, _ seed: UInt64, _ story: Int) -> FollowUpSimulation {
        FollowUpSimulation(kind, seed: (seed &* 1_000 &+ UInt64(story)) &* 0x9e37_79b9_7f4a_7c15 | 1)
    }

    private static func event(_ simulation: inout FollowUpSimulation) -> FollowUpSimulation.Event {
        let all = FollowUpSimulation.Event.allCases
        return all[Int(simulation.random.next() % UInt64(all.count))]
    }

    private static func check(_ simulation: inout FollowUpSimulation) {
        simulation.settle()
        #expect(simulation.broken.isEmpty, "told \(simulation.journal.map(\.fact.type))")
        for operation in simulation.order.followUps {
            #expect(!operation.state.phase.isLive, "\(operation.subject.kind) stays \(operation.state.phase)")
        }
        let charge = simulation.order.operations[0]
        guard charge.subject.kind == .authorisation, let balance = simulation.order.balance(of: charge.subject.payment)
        else { return }
        #expect(
            charge.state.phase == .expired || balance.capture != nil || balance.isVoided,
            "a hold that does not end")
    }
}
