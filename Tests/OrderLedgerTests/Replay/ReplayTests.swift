import Contracts
import KafkaBridge
import Ledger
import LedgerFixtures
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite("Replay of the journal topic", .timeLimit(.minutes(10)))
struct ReplayTests {
    /// Orders in every partition, mixed facts of two producers, some of them published twice, and an unreadable record.
    private static func records() throws -> [JournalRecord] {
        var random = SplitMix64(seed: 1)
        var streams: [[Fact]] = []
        for number in UInt8(1)...24 {
            let history = History(Shop.orderID(number))
            let totals = try Shop.totals(shipping: Int64(number))
            let paid = history.payment(Shop.paymentID(number), amount: totals.amount, .accepted, .succeeded)
            streams.append([history.offer(1, totals)])
            streams.append(paid + paid.suffix(1))
        }
        var mixed: [Fact] = []
        while let index = streams.indices.filter({ !streams[$0].isEmpty }).randomElement(using: &random) {
            mixed.append(streams[index].removeFirst())
        }
        let junk = JournalRecord(
            position: JournalPosition(partition: 2, offset: 0), key: nil, headers: [], value: Array("junk".utf8))
        let records = mixed.records { Partitioner.partition(of: $0.order, among: 4) }
        return Array(records[..<40]) + [junk] + records[40...]
    }

    /// Removes all rows of a partition, as if it had never existed.
    private static let removedPartition =
        (JournalTables.names + OrderTables.names + ["inbox_watermarks"])
        .map { "DELETE FROM ledger.\($0) WHERE partition = 1" }.joined(separator: "; ")

    /// Removes the newest record of a partition, a known duplicate, from all counts: the books agree with each other.
    private static let removedEnd = """
        WITH cut AS (
            SELECT h.partition FROM ledger.chain_heads h JOIN ledger.inbox_watermarks w USING (partition)
            WHERE h.last_offset = w.next_offset - 2 LIMIT 1),
        head AS (
            UPDATE ledger.chain_heads SET duplicates = duplicates - 1 WHERE partition IN (SELECT partition FROM cut))
        UPDATE ledger.inbox_watermarks SET next_offset = next_offset - 1, count = count - 1
            WHERE partition IN (SELECT partition FROM cut)
        """

    /// The changes of a tamperer, where `ROW` is the newest entry's row, and the checks that must fail.
    private static let damages: [(String, Set<String>)] = [
        ("UPDATE ledger.entries SET amount = amount + sign(amount) WHERE ROW", ["R1"]),
        ("DELETE FROM ledger.entries WHERE ROW", ["R1"]),
        ("DELETE FROM ledger.facts WHERE ROW", ["R1"]),
        ("UPDATE ledger.facts SET record = record || ' ' WHERE ROW", ["R1"]),
        ("UPDATE ledger.facts SET hash = sha256('x') WHERE ROW", ["R1"]),
        ("UPDATE ledger.payments SET status = 'declined' WHERE partition = 1", ["R2"]),
        ("UPDATE ledger.orders SET status = 'open' WHERE partition = 1", ["R2"]),
        ("UPDATE ledger.chain_heads SET head = sha256('x') WHERE partition = 1", ["R3"]),
        ("UPDATE ledger.chain_heads SET last_offset = 0 WHERE partition = 1", ["R3"]),
        ("UPDATE ledger.chain_heads SET last_offset = NULL WHERE partition = 1", ["R3"]),
        // The audit of the books alone cannot see these three.
        ("UPDATE ledger.inbox_watermarks SET next_offset = next_offset + 1 WHERE partition = 1", ["S1"]),
        (
            "UPDATE ledger.inbox_watermarks SET count = count + 1 WHERE partition = 1; UPDATE ledger.chain_heads SET duplicates = duplicates + 1 WHERE partition = 1",
            ["S1", "R3"]
        ),
        (removedPartition, ["S1"]),
        (removedEnd, ["S1"]),
        ("INSERT INTO ledger.chain_heads VALUES (99, 0, 0, NULL, decode(repeat('00', 32), 'hex'))", ["S1"]),
    ]

    // Failure scenario 47.
    @Test("The live fold and the replay of the topic give the same; restarts in between do not matter")
    func same() async throws {
        try await TestJournal.with { journal in
            let records = try Self.records()
            try await journal.publish(Array(records[..<60]))
            try await journal.fold()
            try await journal.publish(Array(records[60...]))
            try await journal.fold()
            let report = try await journal.replay()
            #expect(report.exitStatus == 0, "\(report.text)")
            let counts = Dictionary(uniqueKeysWithValues: report.checks.map { ($0.id, $0.counts) })
            #expect(counts["S1"] == "97 records, 24 duplicates")
            #expect(counts["R1"] == "73 rows, 24 entries, 0 differences")
            #expect(counts["R2"] == "24 orders, 24 payments, 0 differences")
            let audit = try await journal.ledger.audit()
            #expect(audit.exitStatus == 0, "\(audit.text)")
        }
    }

    @Test(
        "A change that the ledger did not make is named by partition and offset",
        arguments: damages)
    func damage(_ sql: String, _ checks: Set<String>) async throws {
        try await TestJournal.with { journal in
            try await journal.publish(try Self.records())
            try await journal.fold()
            let newest = try await journal.ledger.owner.query(
                #"SELECT max("offset") AS newest FROM ledger.entries WHERE partition = 1"#)
            let offset = try newest[0].int64("newest")
            try await journal.ledger.tamper(
                sql.replacing("ROW", with: #"partition = 1 AND "offset" = \#(offset)"#))
            let report = try await journal.replay()
            #expect(Set(report.checks.filter { $0.outcome == .failed }.map(\.id)) == checks, "\(report.text)")
            if checks == ["R1"] {
                let named = report.checks.filter { $0.outcome == .failed }.flatMap(\.findings).compactMap(\.position)
                #expect(Set(named) == [JournalPosition(partition: 1, offset: offset)], "\(report.text)")
            }
        }
    }

    @Test("A missing topic, or another ledger's topic, is reported as a wrong setting, not as a difference")
    func otherLog() async throws {
        try await TestJournal.with { journal in
            try await journal.publish(try Self.records())
            try await journal.fold()
            let namespace = "other-\(UInt64.random(in: 0 ... .max))."
            await #expect {
                try await journal.replay(in: namespace)
            } throws: {
                $0 is ConfigurationError
                    && "\($0)".contains("topic \(namespace)orchard.journal.v1 does not exist there")
            }
            try await journal.makeTopic(in: namespace)
            await #expect {
                try await journal.replay(in: namespace)
            } throws: {
                $0 is ConfigurationError && "\($0)".contains("the books were folded from log ")
            }
            #expect(try await journal.replay().exitStatus == 0)
        }
    }

    @Test("What the API publishes comes back through the outbox and the topic")
    func roundTrip() async throws {
        try await TestJournal.with { journal in
            let offers = OfferStore(outbox: LedgerSchema.outbox)
            let merchant = try #require(Shop.merchant)
            let order = OfferedOrder(
                id: Shop.order, merchant: merchant.id, partitions: 4, request: Shop.request,
                revision: 1, choice: OfferChoice(shippingMethod: "post"))
            try await journal.ledger.database.withTransaction { connection in
                let offer = try Offer(order.request, revision: 1)
                _ = try await offers.open(
                    [NewOrder(order: order, offer: offer, key: nil, time: Timestamp(seconds: 1), traceparent: nil)],
                    on: connection)
            }
            try await journal.relay()
            try await journal.fold()
            let orders = try await LedgerReader(connection: journal.ledger.owner).orders(order.partition, [order.id])
            #expect(orders.states.map(\.status) == [.open])
            let report = try await journal.ledger.audit()
            #expect(report.checks.first { $0.id == "C1" }?.counts == "0 in 1 streams, 1 numbered records")
            #expect(report.exitStatus == 0)
        }
    }
}
