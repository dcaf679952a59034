import Contracts
import Testing

@testable import Charging

/// Failures told from the send to the end.
@Suite("A charge")
struct FailureStoryTests {
    private let start = Sample.start
    private let notFound = OperationInput.queried(.answered(Sample.answer(.notFound, code: "34")))

    // Failure scenario 9.
    @Test("that the acquirer has never seen stays unknown for a year, though every query finds nothing")
    func neverSeen() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        var (facts, queries): ([String], Int) = ([], 0)
        while let due = machine.dueAt, due < start + .seconds(365 * 86_400) {
            let actions = machine.receive(.due(.ready), at: due)
            facts += actions.facts
            for attempt in actions.sends {
                facts += machine.receive(.sent(attempt: attempt, .unknown(reason: "timeout")), at: due).facts
            }
            if actions.asks {
                queries += 1
                facts += machine.receive(notFound, at: due).facts
            }
        }
        #expect(facts == ["unknown"] && queries > 1_000)
        #expect(machine.state.phase == .unknown)
    }

    // Failure scenario 50.
    @Test("whose acquirer answers every repetition with one stored error is decided by a query alone")
    func storedError() {
        var machine = Sample.submitted()
        let refused = SendOutcome.answered(Sample.answer(.declined(.other), code: "01"))
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "HTTP 500")), at: start + .seconds(1))
        var facts: [String] = []
        while machine.state.sends < 5, let due = machine.dueAt {
            let actions = machine.receive(.due(.ready), at: due)
            facts += actions.facts
            for attempt in actions.sends {
                let error = attempt.isMultiple(of: 2) ? refused : .unknown(reason: "HTTP 500")
                facts += machine.receive(.sent(attempt: attempt, error), at: due).facts
            }
            if actions.asks { facts += machine.receive(notFound, at: due).facts }
        }
        #expect(facts.allSatisfy { $0 == "unknown" } && machine.state.phase == .unknown && machine.state.sends == 5)
        let paid = OperationInput.queried(.answered(Sample.answer(.succeeded(remark: nil))))
        #expect(machine.receive(paid, at: start + .seconds(300)).facts == ["succeeded"])
    }

    // Failure scenario 12.
    @Test("that was accepted, and of which a notification says a wrong PIN, is declined; its order is not paid")
    func declinedLater() {
        let charge = Sample.charge()
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        func tell(_ input: OperationInput, after seconds: Int) -> [Action] {
            order.receive(.operation(charge.operation, input), at: start + .seconds(seconds))
        }
        let declined = Sample.answer(.declined(.incorrectPIN), code: "65")
        var actions = order.receive(.charge(charge), at: start)
        actions += tell(.due(.ready), after: 0)
        actions += tell(.sent(attempt: 1, .answered(Sample.answer(.accepted))), after: 1)
        actions += tell(.notified(declined), after: 2)
        #expect(actions.facts == ["accepted"] && actions.alarms.isEmpty)
        #expect(tell(.due(.ready), after: 2).asks)
        let end = tell(.queried(.answered(declined)), after: 2)
        #expect(end.events == [.declined(.incorrectPIN, declined.result)] && end.alarms.isEmpty)
        #expect(order.closure == nil && order.nextDue == nil)
    }

    // Failure scenario 31.
    @Test(
        "keeps its time at the acquirer when it is repeated after midnight, or after UnionPay's day has ended",
        arguments: ["2026-11-24T14:59:59Z", "2026-11-24T15:59:59Z"])
    func overMidnight(signed: String) throws {
        let signed = try #require(Timestamp(rfc3339: signed))
        let ticket = OrderTicket(
            order: Sample.order, merchant: Sample.merchant, revision: 1, amount: Sample.amount, networks: [],
            routes: [], linesDigest: Array(repeating: 0, count: 32), partitions: 12, issuedAt: signed,
            expiresAt: signed + .seconds(600))
        let route = try #require(
            try MerchantRegistry(parsing: Array(OperationBeginTests.registry.utf8)).merchants.first?.routes.first)
        let charge = Charge(
            ticket: ticket, payment: Sample.charge().payment, signedAt: signed, card: Sample.card, route: route)
        var machine = OperationMachine.begin(charge, at: signed, policy: ChargingPolicy()).0
        var sent: [(AcquirerReference?, Timestamp)] = []
        while sent.count < 2, let due = machine.dueAt {
            let actions = machine.receive(.due(.ready), at: due)
            for case .send(let charge, let attempt) in actions {
                sent.append((charge.reference, due))
                _ = machine.receive(.sent(attempt: attempt, .unknown(reason: "timeout")), at: due)
            }
            if actions.asks { _ = machine.receive(notFound, at: due) }
        }
        #expect(sent.count == 2 && sent[1].1 > signed, "it was repeated, on the other side")
        #expect(sent.allSatisfy { $0.0 == charge.reference && $0.0?.time == signed })
    }
}
