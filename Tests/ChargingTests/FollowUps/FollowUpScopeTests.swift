import Contracts
import Testing

@testable import Charging

@Suite("Every story of a payment after its charge")
struct FollowUpScopeTests {
    /// A charge that succeeded in time, or too late.
    struct Kind: Sendable, CustomTestStringConvertible {
        let charge: OperationKind
        let isLate: Bool

        var testDescription: String { "\(charge.rawValue)\(isLate ? ", too late" : "")" }

        static let all = [OperationKind.sale, .authorisation].flatMap { charge in
            [false, true].map { Kind(charge: charge, isLate: $0) }
        }
    }

    @Test(
        "takes and gives back no more than it may, once, and ends as the acquirer's book has it",
        arguments: Kind.all, 0..<2)
    func random(kind: Kind, seed: UInt64) async {
        for story in 1...20 {
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

    @Test("does so wherever its database begins anew", arguments: Kind.all, 0..<2)
    func recovered(kind: Kind, seed: UInt64) async {
        for story in 1...20 {
            await Task.yield()
            var simulation = Self.simulation(kind, seed, story)
            var states = [(order: simulation.order, told: simulation.journal.count, read: 0)]
            // The journal has the late success itself: without it nobody would know that money moved.
            if let before = simulation.beforeLateSuccess { states.append((before.order, before.told, 0)) }
            let kept = simulation.beforeLateSuccess.map { $0.told + 1 } ?? 0
            for _ in 1...50 {
                simulation.happen(Self.event(&simulation))
                states.append((simulation.order, simulation.journal.count, simulation.commands.count))
                guard simulation.random.next() % 15 == 0 else { continue }
                let state = states[Int(simulation.random.next() % UInt64(states.count))]
                let lost = Int(simulation.random.next() % UInt64(simulation.journal.count - max(state.told, kept) + 1))
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

    @Test(
        "does so when a snapshot of its disks is put back that nothing in Kafka tells from the database",
        arguments: Kind.all, 0..<2)
    func putBack(kind: Kind, seed: UInt64) async {
        for story in 1...20 {
            await Task.yield()
            var simulation = Self.simulation(kind, seed, story)
            var states = [simulation.order]
            for _ in 1...50 {
                let (told, read) = (simulation.journal.count, simulation.commands.count)
                simulation.happen(Self.event(&simulation))
                // With a fact or a command that the snapshot lacks, the partition would stand still.
                if told != simulation.journal.count || read != simulation.commands.count { states = [] }
                states.append(simulation.order)
                guard simulation.random.next() % 8 == 0 else { continue }
                simulation.putBack(states[Int(simulation.random.next() % UInt64(states.count))])
                states = [simulation.order]
                if !simulation.broken.isEmpty { break }
            }
            Self.check(&simulation)
            if !simulation.broken.isEmpty { return }
        }
    }

    private static func simulation(_ kind: Kind, _ seed: UInt64, _ story: Int) -> FollowUpSimulation {
        FollowUpSimulation(
            kind.charge, isLate: kind.isLate, seed: (seed &* 1_000 &+ UInt64(story)) &* 0x9e37_79b9_7f4a_7c15 | 1)
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
        let byItself = simulation.order.followUps.filter { $0.subject.followUp?.cause.command == nil }
        #expect(byItself.count == (simulation.isLate ? 1 : 0), "what came too late is given back by itself, once")
        let charge = simulation.order.operations[0]
        guard charge.subject.kind == .authorisation, let balance = simulation.order.balance(of: charge.subject.payment)
        else { return }
        #expect(
            charge.state.phase == .expired || balance.capture != nil || balance.isVoided,
            "a hold that does not end")
    }
}
