import Contracts
import LedgerFixtures
import OrchardJSON
import Testing

@testable import Ledger

@Suite("A reader knows the facts of its version for ever")
struct FactReaderTests {
    /// One fact of each kind.
    private static func facts() throws -> [Fact] {
        let (history, totals) = (History(), try Shop.totals())
        let payments: [PaymentEvent] = [
            .accepted, .refused, .succeeded, .declined, .unknown, .notCharged, .conflicted, .lateSuccess, .resolvedPaid,
            .authorised, .authorisationExpired, .lateAuthorised,
        ]
        let followUps = FollowUpKind.allCases.flatMap { kind in
            [FollowUpEvent.accepted, .succeeded, .failed, .unknown, .conflicted, .resolvedDone].map { event in
                history.followUp(
                    kind, target: kind == .void ? .sale : nil, transition: 1, amount: totals.amount, event)
            }
        }
        return [
            history.offer(1, totals), history.offer(2, totals), history.finalised(3, totals),
            history.closed(.cancelled), history.commandRejected(1),
        ] + payments.map { history.fact(transition: 1, amount: totals.amount, $0) } + followUps
    }

    @Test("Reader 1 reads the facts that it knew, and every other as of an unknown type")
    func types() throws {
        for fact in try Self.facts() {
            let record = fact.record(at: 0)
            #expect((try? FactReader.v2.read(record))?.fact == fact)
            if FactType.v1.contains(fact.kind) {
                #expect((try? FactReader.v1.read(record))?.fact == fact)
            } else {
                let error = #expect(throws: UnreadableRecord.self) { try FactReader.v1.read(record) }
                #expect(error == UnreadableRecord(.unknownType, "the value: unknown at byte 0"))
            }
        }
        #expect(FactType.v1.count == 13)
    }

    @Test("Reader 1 knows three reasons of rejected commands, and none of the later members")
    func members() throws {
        let history = History()
        for reason in CommandRejected.Reason.allCases {
            let record = Fact.commandRejected(
                CommandRejected(
                    order: history.order, merchant: history.merchant,
                    command: CommandID(hash: history.order.bytes + history.order.bytes),
                    commandType: "orchard.refund.requested.v1", reason: reason)
            ).record(at: 0)
            #expect((try? FactReader.v2.read(record)) != nil)
            if [.chargeInProgress, .orderPaid, .orderClosed].contains(reason) {
                #expect((try? FactReader.v1.read(record)) != nil)
            } else {
                let error = #expect(throws: UnreadableRecord.self) { try FactReader.v1.read(record) }
                let place = String(decoding: record.value, as: UTF8.self).utf8.count - 1
                #expect(error == UnreadableRecord(.data, "reason: value at byte \(place)"))
            }
        }
        let succeeded = history.fact(transition: 1, amount: try Shop.totals().amount, .succeeded).record(at: 0)
        let later = JournalRecord(
            position: succeeded.position, key: succeeded.key, headers: succeeded.headers,
            value: Array(#"{"expiresAt":7,"#.utf8) + succeeded.value.dropFirst())
        #expect((try? FactReader.v1.read(later)) != nil, "reader 1 skipped what it did not know")
    }

    @Test("A known event stays known while its order has no state")
    func knownEvents() throws {
        let fact = History().fact(transition: 1, amount: try Shop.totals().amount, .succeeded)
        let event = try JournalEvent(fact.record(at: 5))
        // A damaged database has the event, and nothing of its order.
        var fold = Fold(partition: Shop.partition, events: [event])
        for _ in 0..<2 {
            let again = try fold.apply(try JournalEvent(fact.record(at: 9)))
            #expect(again.disposition == .duplicate)
        }
        #expect(fold.orders.isEmpty)
    }
}
