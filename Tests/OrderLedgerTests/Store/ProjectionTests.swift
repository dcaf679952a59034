import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("Folding into the database")
struct ProjectionTests {
    /// Facts of a few orders in one partition, mixed by a seed, with duplicates.
    private static func facts(seed: UInt64) throws -> [Fact] {
        var random = SplitMix64(seed: seed)
        var streams: [[Fact]] = []
        for number in UInt8(1)...10 {
            var history = History(Shop.orderID(number))
            history.partitions = 1
            let (first, second) = (try Shop.totals(), try Shop.totals(shipping: 2_000))
            let payment = Shop.paymentID(number)
            streams.append([history.offer(1, first), history.offer(2, second)])
            streams.append([history.commandRejected(number)])
            switch number % 4 {
            case 0: streams.append(history.payment(payment, revision: 2, amount: second.amount, .accepted, .succeeded))
            case 1: streams.append(history.payment(payment, amount: first.amount, .accepted, .declined))
            case 2:
                streams.append(
                    history.payment(payment, amount: first.amount, .accepted, .declined, .lateSuccess)
                        + [history.closed(.expired)])
            default: streams.append([history.closed(.cancelled)])
            }
        }
        var mixed: [Fact] = []
        while let index = streams.indices.filter({ !streams[$0].isEmpty }).randomElement(using: &random) {
            mixed.append(streams[index].removeFirst())
            if Int.random(in: 0..<6, using: &random) == 0, let again = mixed.randomElement(using: &random) {
                mixed.append(again)
            }
        }
        return mixed
    }

    @Test("With batches of any size the tables equal the result of the pure fold", arguments: [1, 3, 1_000])
    func sameAsPure(_ size: Int) async throws {
        let facts = try Self.facts(seed: UInt64(size))
        let (book, rows) = PartitionBook.reading(facts, partition: 0)
        try await TestLedger.with { ledger in
            let records = facts.records(partition: 0)
            for start in stride(from: 0, to: facts.count, by: size) {
                try await ledger.fold(records: Array(records[start..<min(start + size, facts.count)]), of: 0)
            }
            let reader = LedgerReader(connection: ledger.owner)
            let head = try #require(try await reader.heads()[0])
            #expect(head.rows == book.rows)
            #expect(head.duplicates == book.duplicates)
            #expect(head.lastOffset == book.lastOffset)
            #expect(head.hash == book.chain.head)
            let stored = try await reader.page(0, .min ... .max).rows
            #expect(stored.map(\.hash) == rows.map(\.hash))
            #expect(stored.map(\.entries) == rows.map(\.entries))
            let orders = book.fold.orders.values.sorted { $0.id < $1.id }
            #expect(try await reader.orders(0, orders.map(\.id)).states == orders)
            let report = try await ledger.audit()
            #expect(report.errors == 0, "\(report.text)")
        }
    }

    // Failure scenario 46.
    @Test("A batch delivered again, whole or in part, changes nothing")
    func redelivery() async throws {
        let totals = try Shop.totals()
        let facts = [History().offer(1, totals)] + History().payment(amount: totals.amount, .accepted, .succeeded)
        try await TestLedger.with { ledger in
            try await ledger.fold(facts)
            try await ledger.fold(facts)
            try await ledger.fold(Array(facts.dropFirst()), from: 1)
            let head = try #require(try await LedgerReader(connection: ledger.owner).heads()[Shop.partition])
            #expect(head.rows == 3)
            #expect(head.duplicates == 0, "what is below the watermark was not read")
            let report = try await ledger.audit()
            #expect(report.errors == 0, "\(report.text)")
        }
    }

    @Test("A batch writes an order's row again only when the row changes")
    func unchangedRows() async throws {
        let totals = try Shop.totals()
        let facts = [History().offer(1, totals)] + History().payment(amount: totals.amount, .accepted, .succeeded)
        try await TestLedger.with { ledger in
            func place() async throws -> [String] {
                try await ledger.owner.query("SELECT ctid::text AS place FROM ledger.orders").map {
                    try $0.string("place")
                }
            }
            var places: [[String]] = []
            for record in facts.records(partition: Shop.partition) {
                try await ledger.fold(records: [record])
                places.append(try await place())
            }
            #expect(places.map(\.count) == [1, 1, 1])
            #expect(places[1] == places[0], "an accepted payment changes nothing of the order's own row")
            #expect(places[2] != places[1], "its success does")
            let report = try await ledger.audit()
            #expect(report.errors == 0, "\(report.text)")
        }
    }

    // Failure scenario 41.
    @Test("Connections that are lost at any moment, also during COMMIT, book each fact once")
    func connectionsLost() async throws {
        let totals = try Shop.totals()
        let facts = (UInt8(1)...40).flatMap { number in
            var history = History(Shop.orderID(number))
            history.partitions = 1
            return [history.offer(1, totals)]
                + history.payment(Shop.paymentID(number), amount: totals.amount, .accepted, .succeeded)
        }
        let records = facts.records(partition: 0)
        try await TestLedger.with { ledger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 1...40 {
                        try await ledger.owner.execute(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5
                            """)
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
                // As the consumer does: again from where the watermark stands until it is taken.
                try await ledger.start()
                for start in stride(from: 0, to: records.count, by: 3) {
                    // Twice: of every COMMIT the answer may be lost, although it was done.
                    for _ in 1...2 {
                        let batch = Array(records[start..<start + 3])
                        while (try? await ledger.projection.apply(batch, of: 0, from: Int64(start))) == nil {
                            try await Task.sleep(for: .milliseconds(5))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let head = try #require(try await LedgerReader(connection: ledger.owner).heads()[0])
            #expect(head.rows == 120 && head.duplicates == 0)
            let sum =
                "SELECT count(DISTINCT \"offset\") AS n, sum(amount) FILTER (WHERE account = $1)::bigint AS amount"
            let booked = try await ledger.owner.query(
                "\(sum) FROM ledger.entries", [Account.acquirerReceivable.rawValue])[0]
            #expect(try booked.int64("n") == 40)
            #expect(try booked.int64("amount") == 40 * totals.amount.minorUnits)
            let report = try await ledger.audit()
            #expect(report.errors == 0, "\(report.text)")
        }
    }

    // Failure scenario 44.
    @Test("An unreadable record is stored, counted and published as a dead letter, and the partition goes on")
    func unreadable() async throws {
        let junk = JournalRecord(
            position: JournalPosition(partition: Shop.partition, offset: 0), key: [0xff],
            headers: [.init(name: "x", value: [0, 0xff])], value: Array(#"{"a":"\u0000"}"#.utf8))
        let totals = try Shop.totals()
        try await TestLedger.with { ledger in
            try await ledger.fold(records: [junk, History().offer(1, totals).record(at: 1)])
            let rows = try await LedgerReader(connection: ledger.owner).page(Shop.partition, .min ... .max).rows
            #expect(rows.map(\.disposition) == [.unreadable, .applied])
            #expect(rows[0].record == junk)
            let letters = try await ledger.owner.query(
                "SELECT value FROM ledger.outbox WHERE topic = $1", [Topic.journal.deadLetters.name])
            #expect(letters.count == 1)
            let report = try await ledger.audit()
            #expect(report.errors == 0, "\(report.text)")
            #expect(report.warnings == 1)
        }
    }

    @Test("A fact with U+0000 in a text cannot stop its partition")
    func nul() async throws {
        let totals = try Shop.totals()
        let fact = History().fact(transition: 1, amount: totals.amount, .unknown(reason: "a\u{0}b"))
        try await TestLedger.with { ledger in
            try await ledger.fold([History().offer(1, totals), fact])
            let rows = try await LedgerReader(connection: ledger.owner).page(Shop.partition, .min ... .max).rows
            #expect(rows.map(\.disposition) == [.applied, .unreadable])
        }
    }
}
