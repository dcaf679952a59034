import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("What is missing from the books")
struct FaultSeverityTests {
    @Test(
        "is an error when it is money, unreadable or forged",
        arguments: [
            (.money, "illegalTransition", .failed), (.money, "offerDiffers", .failed),
            (.money, "conflictingDuplicate", .failed), (.unknown, "data", .failed), (.unknown, "unknownType", .failed),
            (.unknown, "identity", .failed), (.order, "alreadyClosed", .warned), (.order, "foreignSource", .failed),
            (.order, "conflictingDuplicate", .failed), (.order, "wrongPartition", .failed),
            (.order, "merchantDiffers", .failed), (.stranger, "envelope", .warned),
        ] as [(FaultSubject, String, AuditCheck.Outcome)])
    func severity(_ subject: FaultSubject, _ code: String, _ outcome: AuditCheck.Outcome) {
        let fault = JournalFault(
            source: JournalPosition(partition: 0, offset: 1), subject: subject, code: code, reason: "r")
        #expect(fault.severity == outcome)
    }

    @Test("Payments and prices are about money; a closed order or a rejected command is not")
    func subjects() throws {
        let totals = try Shop.totals()
        let history = History()
        #expect(FaultSubject(history.offer(1, totals)) == .money)
        #expect(FaultSubject(history.offer(2, totals)) == .money)
        #expect(FaultSubject(history.fact(transition: 1, amount: totals.amount, .declined)) == .money)
        #expect(FaultSubject(history.closed(.expired)) == .order)
        #expect(FaultSubject(history.commandRejected(1)) == .order)
    }

    @Test(
        "An unreadable record counts as ours when its headers say so",
        arguments: [
            (["ce_type": "orchard.payment.succeeded.v1"], .unknown), (["ce_source": "/charge-gateway"], .unknown),
            (["ce_source": "/order-ledger"], .unknown), (["ce_stream": "charge-gateway"], .unknown),
            (["ce_type": "com.example.thing"], .stranger), (["x": "orchard."], .stranger), ([:], .stranger),
        ] as [([String: String], FaultSubject)])
    func claims(_ headers: [String: String], _ subject: FaultSubject) {
        let record = JournalRecord(
            position: JournalPosition(partition: 0, offset: 0), key: nil,
            headers: headers.map { .init(name: $0.key, value: Array($0.value.utf8)) }, value: [])
        #expect(FaultSubject(unreadable: record) == subject)
    }

    @Test("A waiting payment is an error after ten minutes; a waiting fact that moves no money never is")
    func waiting() throws {
        let totals = try Shop.totals()
        let facts = [History().fact(transition: 2, amount: totals.amount, .succeeded), History().closed(.expired)]
        let time = Timestamp(seconds: 1_700_000_000)
        var refold = Refold(partition: Shop.partition, key: .fixed)
        _ = refold.fold(
            facts.enumerated().map { ReadRecord($1.record(at: Int64($0), time: time)) }, earlier: [])
        let waiting = Self.waiting(refold)
        #expect(waiting.count == 2)
        let (soon, late) = (time + .seconds(600), time + .seconds(601))
        #expect(waiting.overdue(at: soon).isEmpty)
        #expect(waiting.findings(at: soon).first.map(\.position?.offset) == [0, 1])
        #expect(waiting.overdue(at: late).first.map(\.position?.offset) == [0])
        #expect(waiting.findings(at: late).first.map(\.position?.offset) == [1])
        _ = refold.fold([ReadRecord(History().offer(1, totals).record(at: 2))], earlier: [])
        #expect(Self.waiting(refold).count == 1, "the closing goes on, the payment's first transition has not come")
    }

    /// The facts that wait after the records so far.
    private static func waiting(_ refold: Refold) -> WaitingFacts {
        var refold = refold
        refold.close()
        return refold.waiting
    }
}
