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
                """, [day.merchant, day.acquirer, day.account, next.description]),
            try await newest(
                """
                SELECT max(f.recorded_at) AS newest FROM (
                    -- All rows of no operation of ours are of one subject: its facts are read once.
                    SELECT DISTINCT partition, order_id FROM ledger.settlement_facts
                    WHERE merchant_id = $1 AND acquirer = $2 AND account = $3 AND kind = 'row'
                        AND settlement_date IN ($4, $5)) AS s
                CROSS JOIN LATERAL (
                    SELECT recorded_at FROM ledger.facts
                    WHERE partition = s.partition AND order_id = s.order_id AND \(JournalTables.isTaken) OFFSET 0) AS f
                """, [day.merchant, day.acquirer, day.account, day.date.description, next.description]),
        ]
        var last: (partition: Int32, order: OrderID)?
        repeat {
            let page = try await ordersOfDay(behind: last)
            times.append(
                try await newest(
                    """
                    SELECT max(f.recorded_at) AS newest FROM unnest($1::integer[], $2::uuid[]) AS wanted(partition, id)
                    CROSS JOIN LATERAL (
                        SELECT recorded_at FROM ledger.facts
                        WHERE partition = wanted.partition AND order_id = wanted.id AND \(JournalTables.isTaken) OFFSET 0) AS f
                    """, [page.map(\.partition), page.map(\.order)]))
            last = page.count == Int(Self.page) ? page.last : nil
        } while last != nil
        return times.compactMap(\.self).max()
    }

    private func newest(_ sql: String, _ parameters: [any PostgresEncodable]) async throws -> Timestamp? {
        try await connection.query(sql, parameters).first?.optionalTime("newest")
    }
}
