import Contracts
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The orders of a large settled day", .timeLimit(.minutes(5)))
struct SettlementOrdersTests {
    private typealias Fixture = SettlementFixture

    /// Payments and refunds of the day, of which some have the acquirer's own date, and some orders have both; rows of the
    /// day's file, of orders and of nobody.
    private static let rows = """
        INSERT INTO ledger.payments (partition, order_id, payment_id, status, transition, revision, currency, amount, account,
                transaction_time, settlement_date)
            SELECT n % 12, md5((n % 19000)::text)::uuid, md5('payment' || n)::uuid, 'succeeded', 2, 1, 'CNY', 4500, '$account',
                timestamptz '2023-11-20 16:00Z' + n % 7 * interval '1 hour', CASE WHEN n > 18000 THEN '1121' END
            FROM generate_series(1, 20000) AS n;
        INSERT INTO ledger.follow_ups (partition, order_id, operation_id, payment_id, kind, currency, amount, account, status,
                transition, transaction_time)
            SELECT n % 12, md5(n::text)::uuid, md5('refund' || n)::uuid, md5('payment' || n)::uuid, 'refund', 'CNY', 100,
                '$account', 'succeeded', 2, timestamptz '2023-11-20 16:00Z' FROM generate_series(16000, 18500) AS n;
        INSERT INTO ledger.settlement_facts (partition, "offset", order_id, kind, merchant_id, acquirer, account,
                settlement_date)
            SELECT n % 12, n, CASE WHEN n % 2 = 0 THEN '$subject' ELSE md5(n::text)::uuid END, 'row', '$merchant', 'unionpay',
                '$account', '2023-11-21' FROM generate_series(1, 20000) AS n;
        """

    private static func withLargeDay(
        _ body: @Sendable (SettlementReader, PostgresConnection) async throws -> Void
    ) async throws {
        try await Fixture.with { fixture in
            let (day, owner) = (Fixture.day(), fixture.ledger.owner)
            try await owner.script(
                rows.replacing("$account", with: day.account).replacing("$merchant", with: "\(day.merchant)")
                    .replacing("$subject", with: "\(day.subject)"))
            _ = try await owner.query(PostgresConfiguration.planningByKey)
            try await body(SettlementReader(connection: owner, day: day), owner)
        }
    }

    @Test("are each read once, in the order of partition and name, with and without the acquirer's date")
    func order() async throws {
        try await Self.withLargeDay { reader, owner in
            var found: [String] = []
            var orders = try await SettlementOrders(reader)
            while let page = try await orders.page() {
                #expect(!page.isEmpty && page.count <= Int(SettlementReader.page))
                found += page.map { "\($0.partition) \($0.order)" }
            }
            let known = try await owner.query(
                """
                SELECT partition, replace(order_id::text, '-', '') AS order_id FROM (
                    SELECT partition, order_id FROM ledger.payments UNION SELECT partition, order_id FROM ledger.follow_ups) AS o
                ORDER BY partition, o.order_id
                """
            ).map { "\(try $0.int32("partition")) \(try $0.string("order_id"))" }
            #expect(found == known)
        }
    }

    /// What one page costs must not grow with the day.
    @Test("are read once, and not the rest of the day for each page")
    func cost() async throws {
        try await Self.withLargeDay { reader, owner in
            let fetched = try await owner.transaction { connection in
                var orders = try await SettlementOrders(SettlementReader(connection: connection, day: reader.day))
                while try await orders.page() != nil {}
                return try await connection.query(
                    """
                    SELECT sum(idx_tup_fetch)::bigint AS fetched FROM pg_stat_xact_user_tables
                    WHERE relname IN ('payments', 'follow_ups')
                    """)[0].int64("fetched")
            }
            #expect((22_501...30_000).contains(fetched))
        }
    }

    /// One statement for the whole day would need a temporary file for so many rows, and end after 30 seconds for more.
    @Test("and the facts that the day's report rests on are read a page at a time")
    func changes() async throws {
        try await Self.withLargeDay { reader, owner in
            try await owner.script("SET work_mem = '256kB'; SET temp_file_limit = 0")
            #expect(try await reader.isUnchanged(since: Shop.now))
        }
    }
}
