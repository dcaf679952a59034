import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Reads what the books have of a settled day, a page at a time.
struct SettlementReader {
    let connection: PostgresConnection
    let day: SettlementDay

    /// How many rows or orders are held at a time.
    static let page: Int64 = 500

    /// The facts of one kind of a day.
    func facts(_ kind: String, on date: SettlementDate) async throws -> [JournalEvent] {
        var events: [JournalEvent] = []
        var last: JournalPosition?
        repeat {
            let page = try await facts(kind, on: date, behind: last)
            events += page
            last = page.count == Int(Self.page) ? page.last?.position : nil
        } while last != nil
        return events
    }

    /// A page of the facts of one kind, in the order of partition and offset.
    func facts(_ kind: String, on date: SettlementDate, behind last: JournalPosition?) async throws -> [JournalEvent] {
        let rows = try await connection.query(
            """
            SELECT s.partition, \(ReadRecord.columns) FROM (
                SELECT partition, "offset" FROM ledger.settlement_facts
                WHERE merchant_id = $1 AND acquirer = $2 AND account = $3 AND kind = $4 AND settlement_date = $5
                    AND (partition, "offset") > ($6, $7)
                ORDER BY partition, "offset" LIMIT $8) AS s
            JOIN ledger.facts f USING (partition, "offset") ORDER BY s.partition, f."offset"
            """,
            [
                day.merchant, day.acquirer, day.account, kind, date.description, last?.partition ?? -1,
                last?.offset ?? -1, Self.page,
            ])
        return try rows.map { try ReadRecord($0, partition: try $0.int32("partition")).event() }
    }

    /// How many facts of one kind a day has.
    func count(_ kind: String, on date: SettlementDate) async throws -> Int64 {
        try await connection.query(
            """
            SELECT count(*) AS n FROM ledger.settlement_facts
            WHERE merchant_id = $1 AND acquirer = $2 AND account = $3 AND kind = $4 AND settlement_date = $5
            """, [day.merchant, day.acquirer, day.account, kind, date.description])[0].int64("n")
    }

    /// Some orders by partition and name.
    func orders(_ ids: [(partition: Int32, order: OrderID)]) async throws -> [OrderID: OrderState] {
        var states: [OrderID: OrderState] = [:]
        for (partition, group) in Dictionary(grouping: ids, by: { $0.partition }) {
            let wanted = Set(group.map(\.order)).sorted()
            for state in try await OrderStore(partition: partition).read(wanted, on: connection).orders {
                states[state.id] = state
            }
        }
        return states
    }

    /// The next orders with a transaction that has the acquirer's own date of the day. It has no year: the time tells it.
    func ordersWithDate(
        behind last: (partition: Int32, order: OrderID)?
    ) async throws -> [(partition: Int32, order: OrderID)] {
        let month = day.date.description.dropFirst(5).filter { $0 != "-" }
        let rows = try await connection.query(
            """
            SELECT partition, order_id FROM (
                (SELECT DISTINCT partition, order_id FROM ledger.payments WHERE account = $1 AND settlement_date = $2
                    AND transaction_time >= $3 AND transaction_time < $4 AND (partition, order_id) > ($5, $6)
                    ORDER BY partition, order_id LIMIT $7)
                UNION
                (SELECT DISTINCT partition, order_id FROM ledger.follow_ups WHERE account = $1 AND settlement_date = $2
                    AND transaction_time >= $3 AND transaction_time < $4 AND (partition, order_id) > ($5, $6)
                    ORDER BY partition, order_id LIMIT $7)) AS o
            ORDER BY partition, order_id LIMIT $7
            """,
            [
                day.account, String(month), day.date.start(adding: -40).postgres, day.date.start(adding: 40).postgres,
                last?.partition ?? -1, last?.order ?? Self.firstOrder, Self.page,
            ])
        return try rows.map { (try $0.int32("partition"), try $0.identifier("order_id")) }
    }

    /// All orders with a transaction of the day's time and without the acquirer's own date, by partition and name. They are
    /// read in the order of their times, as the index has them: in another order, each page would read the whole day.
    func ordersWithoutDate() async throws -> [(partition: Int32, order: OrderID)] {
        var orders: [(partition: Int32, order: OrderID)] = []
        for sql in [
            """
            SELECT transaction_time, partition, order_id FROM ledger.payments
            WHERE account = $1 AND settlement_date IS NULL AND status IN ('succeeded', 'lateSuccess')
                AND (transaction_time, partition, order_id) > ($2, $3, $4) AND transaction_time < $5
            ORDER BY transaction_time, partition, order_id LIMIT $6
            """,
            """
            SELECT transaction_time, partition, order_id FROM ledger.follow_ups
            WHERE account = $1 AND settlement_date IS NULL AND status = 'succeeded'
                AND (transaction_time, partition, order_id) > ($2, $3, $4) AND transaction_time < $5
            ORDER BY transaction_time, partition, order_id LIMIT $6
            """,
        ] {
            var last = (time: day.date.start(adding: 0), partition: Int32(-1), order: Self.firstOrder)
            var count = Self.page
            while count == Self.page {
                let rows = try await connection.query(
                    sql,
                    [
                        day.account, last.time.postgres, last.partition, last.order,
                        day.date.start(adding: 1).postgres, Self.page,
                    ])
                for row in rows {
                    last = (
                        try row.time("transaction_time"), try row.int32("partition"), try row.identifier("order_id")
                    )
                    orders.append((last.partition, last.order))
                }
                count = Int64(rows.count)
            }
        }
        return orders.sorted { ($0.partition, $0.order) < ($1.partition, $1.order) }
    }

    private static let firstOrder = OrderID(high: 0, low: 0)
}

extension SettlementDate {
    /// When UnionPay's day begins: at 23:00 of the eve in Beijing.
    fileprivate func start(adding days: Int) -> Timestamp {
        let date = adding(days: days)
        let midnight = CivilTime(year: date.year, month: date.month, day: date.day)?.timestamp(utcOffset: 8 * 3_600)
        return (midnight ?? Timestamp(seconds: 0)) + .seconds(-3_600)
    }
}
