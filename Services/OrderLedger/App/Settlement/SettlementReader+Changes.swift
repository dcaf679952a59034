import Contracts
import Ledger
import OrchardPostgres
import Outbox

extension SettlementReader {
    /// How far a service's clock and the database's may be apart.
    private static let tolerance = Duration.seconds(300)

    /// Whether no fact has come since that time on which the day's report rests, for sure.
    func isUnchanged(since time: Timestamp) async throws -> Bool {
        guard let newest = try await newestFact() else { return true }
        return newest + Self.tolerance < time
    }

    /// When the newest fact came on which the day's report rests: of its orders and rows, of the next day's file, and what
    /// moved money of the account before.
    private func newestFact() async throws -> Timestamp? {
        let next = day.date.adding(days: 1)
        var times = [
            try await newest(
                """
                SELECT max(f.recorded_at) AS newest FROM ledger.settlement_facts s JOIN ledger.facts f USING (partition, "offset")
                WHERE s.merchant_id = $1 AND s.acquirer = $2 AND s.account = $3
                    AND s.kind IN ('file', 'dispute', 'payOut', 'explanation') AND s.settlement_date <= $4
                """, [day.merchant, day.acquirer, day.account, next.description])
        ]
        for date in [day.date, next] { times += try await newestOfRows(on: date) }
        var orders = try await SettlementOrders(self)
        while let page = try await orders.page() { times.append(try await newest(of: page)) }
        return times.compactMap(\.self).max()
    }

    /// When the newest facts came of the orders that a day's rows name, a page at a time: all in one statement, a large day
    /// would take longer than a statement may.
    private func newestOfRows(on date: SettlementDate) async throws -> [Timestamp?] {
        // All rows of no operation of ours are of one subject: its facts are read once.
        let subject = SettlementDay(
            merchant: day.merchant, acquirer: day.acquirer, account: day.account, date: date
        ).subject
        var (times, isSubjectRead): ([Timestamp?], Bool) = ([], false)
        var last: JournalPosition?
        repeat {
            let rows = try await connection.query(
                """
                SELECT partition, "offset", order_id FROM ledger.settlement_facts
                WHERE merchant_id = $1 AND acquirer = $2 AND account = $3 AND kind = 'row' AND settlement_date = $4
                    AND (partition, "offset") > ($5, $6)
                ORDER BY partition, "offset" LIMIT $7
                """,
                [
                    day.merchant, day.acquirer, day.account, date.description, last?.partition ?? -1,
                    last?.offset ?? -1, Self.page,
                ])
            let orders = try rows.map { row -> (partition: Int32, order: OrderID) in
                (try row.int32("partition"), try row.identifier("order_id"))
            }
            times.append(try await newest(of: orders.filter { $0.order != subject }))
            if !isSubjectRead, let subject = orders.first(where: { $0.order == subject }) {
                times.append(try await newest(of: [subject]))
                isSubjectRead = true
            }
            last =
                rows.count == Int(Self.page)
                ? try rows.last.map { .init(partition: try $0.int32("partition"), offset: try $0.int64("offset")) }
                : nil
        } while last != nil
        return times
    }

    /// When the newest fact of some orders came.
    private func newest(of orders: [(partition: Int32, order: OrderID)]) async throws -> Timestamp? {
        try await newest(
            """
            SELECT max(f.recorded_at) AS newest FROM unnest($1::integer[], $2::uuid[]) AS wanted(partition, id)
            CROSS JOIN LATERAL (
                SELECT recorded_at FROM ledger.facts
                WHERE partition = wanted.partition AND order_id = wanted.id AND \(JournalTables.isTaken) OFFSET 0) AS f
            """, [orders.map(\.partition), orders.map(\.order)])
    }

    private func newest(_ sql: String, _ parameters: [any PostgresEncodable]) async throws -> Timestamp? {
        try await connection.query(sql, parameters).first?.optionalTime("newest")
    }
}
