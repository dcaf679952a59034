import Contracts
import Testing

@testable import Charging

@Suite("Every interleaving")
struct SmallScopeTests {
    /// Two tokens for one order, so that single flight, closing and a second attempt all come up.
    static let charges = [Sample.charge(1, expiresAfter: .seconds(20)), Sample.charge(2, expiresAfter: .seconds(20))]

    @Test(
        "of seven steps keeps the rules of money",
        arguments: [ModelAcquirer.Truth.paid, .declined], [ModelAcquirer.Truth.paid, .declined])
    func exhaustive(first: ModelAcquirer.Truth, second: ModelAcquirer.Truth) async {
        var frontier: Set = [ChargingSimulation(fate: Self.fate(first, second))]
        for _ in 1...7 {
            var next: Set<ChargingSimulation> = []
            for simulation in frontier {
                // Tests that wait for their servers share the threads.
                await Task.yield()
                for event in simulation.possible(charges: Self.charges) {
                    var after = simulation
                    after.happen(event)
                    if !after.broken.isEmpty {
                        Issue.record("\(after.broken) by \(event), told \(after.facts)")
                        return
                    }
                    next.insert(after)
                }
            }
            frontier = next
        }
        #expect(frontier.count > 1_000)
    }

    @Test("of a thousand long stories ends each payment as the acquirer's book has it", arguments: 0..<4)
    func random(seed: UInt64) async {
        var random = RandomChoices(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
        for _ in 1...250 {
            await Task.yield()
            var simulation = ChargingSimulation(fate: Self.fate(random.truth, random.truth))
            simulation.isWide = true
            for _ in 1...60 {
                let events = simulation.possible(charges: Self.charges)
                simulation.happen(events[Int(random.next() % UInt64(events.count))])
            }
            Self.settle(&simulation)
            #expect(simulation.broken.isEmpty, "told \(simulation.facts)")
            for operation in simulation.order.operations {
                let truth = simulation.acquirer.booked[operation.charge.payment]
                switch operation.state.phase {
                case .succeeded, .lateSuccess: #expect(truth == .paid)
                case .declined: #expect(truth != .paid)
                case .refused: #expect(truth == nil)
                // The acquirer never saw it: only the settlement file can prove that.
                case .unknown, .submitting: #expect(truth == nil)
                case .created, .pending, .conflicted, .expired: Issue.record("ended as \(operation.state.phase)")
                }
            }
        }
    }

    /// Lets everything arrive and every timer fire for a day.
    static func settle(_ simulation: inout ChargingSimulation) {
        while simulation.time < Sample.start + .seconds(86_400) {
            if !simulation.requests.isEmpty {
                simulation.happen(.arrives)
            } else if !simulation.queries.isEmpty {
                simulation.happen(.queryAnswered)
            } else if simulation.order.nextDue != nil {
                simulation.happen(.timer)
            } else {
                return
            }
        }
        while !simulation.queries.isEmpty { simulation.happen(.queryAnswered) }
    }

    static func fate(
        _ first: ModelAcquirer.Truth, _ second: ModelAcquirer.Truth
    ) -> [PaymentID: ModelAcquirer.Truth] {
        [charges[0].payment: first, charges[1].payment: second]
    }
}

/// xorshift64*: chance that is the same on every machine.
struct RandomChoices {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return (state &* 0x2545_f491_4f6c_dd1d) >> 33
    }

    var truth: ModelAcquirer.Truth {
        mutating get { next() % 2 == 0 ? .paid : .declined }
    }
}
