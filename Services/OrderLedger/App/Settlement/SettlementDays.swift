import Contracts
import Ledger
import OrchardJSON
import OrchardPostgres
import Outbox

/// The reports of settled days as they were last reconciled.
struct SettlementDays {
    let connection: PostgresConnection

    /// A stored report.
    struct Item: Sendable {
        let day: SettlementDay
        let status: Reconciliation.Status
        let openDifferences: Int64
        let oldest: Timestamp?
        let report: [UInt8]
        let checkedAt: Timestamp
    }

    /// An account's days that are not reconciled. Their reports may be large, and are not read.
    struct OpenDays: Sendable {
        var days: Int64 = 0
        var differences: Int64 = 0
        var oldest: Timestamp?
    }

    /// The most days of a list.
    static let limit: Int64 = 400

    static let dayColumns =
        "merchant_id, acquirer, account, settlement_date, status, open_differences, oldest_at, report, checked_at"

    /// A merchant's days, the oldest first.
    func items(
        of merchant: MerchantID, _ dates: ClosedRange<SettlementDate>, account: String? = nil
    ) async throws -> [Item] {
        try await connection.query(
            """
            SELECT \(Self.dayColumns) FROM ledger.settlement_days
            WHERE merchant_id = $1 AND settlement_date BETWEEN $2 AND $3 AND ($4::text IS NULL OR account = $4)
            ORDER BY settlement_date, acquirer, account LIMIT $5
            """,
            [merchant, dates.lowerBound.description, dates.upperBound.description, account, Self.limit]
        ).map { try item($0) }
    }

    /// The key of a row.
    struct Name: Sendable {
        let merchant: MerchantID
        let acquirer: String
        let account: String
        let date: String

        /// nil where the date is none.
        var day: SettlementDay? {
            SettlementDate(date).map {
                SettlementDay(merchant: merchant, acquirer: acquirer, account: account, date: $0)
            }
        }
    }

    /// The next rows of all merchants, in the order of their keys.
    func names(behind last: Name?) async throws -> [Name] {
        let rows = try await connection.query(
            """
            SELECT merchant_id, acquirer, account, settlement_date FROM ledger.settlement_days
            WHERE (merchant_id, acquirer, account, settlement_date) > ($1, $2, $3, $4)
            ORDER BY merchant_id, acquirer, account, settlement_date LIMIT $5
            """,
            [
                last?.merchant ?? MerchantID(high: 0, low: 0), last?.acquirer ?? "", last?.account ?? "",
                last?.date ?? "", Self.limit,
            ])
        return try rows.map { row in
            Name(
                merchant: try row.identifier("merchant_id"), acquirer: try row.string("acquirer"),
                account: try row.string("account"), date: try row.string("settlement_date"))
        }
    }

    /// A day; nil when it was never reconciled.
    func item(_ day: SettlementDay) async throws -> Item? {
        try await connection.query(
            """
            SELECT \(Self.dayColumns) FROM ledger.settlement_days
            WHERE merchant_id = $1 AND acquirer = $2 AND account = $3 AND settlement_date = $4
            """, [day.merchant, day.acquirer, day.account, day.date.description]
        ).first.map { try item($0) }
    }

    /// The days that are not reconciled, counted by account.
    func open() async throws -> [String: OpenDays] {
        let rows = try await connection.query(
            """
            SELECT account, count(*) AS days, coalesce(sum(open_differences), 0)::bigint AS differences, min(oldest_at) AS oldest
            FROM ledger.settlement_days WHERE status <> 'reconciled' GROUP BY account
            """)
        return try rows.reduce(into: [:]) { found, row in
            found[try row.string("account")] = OpenDays(
                days: try row.int64("days"), differences: try row.int64("differences"),
                oldest: try row.optionalTime("oldest"))
        }
    }

    private func item(_ row: PostgresRow) throws -> Item {
        guard let date = SettlementDate(try row.string("settlement_date")) else {
            throw StoreError(.malformed, at: "settlement_days.settlement_date", "a day is expected")
        }
        return Item(
            day: SettlementDay(
                merchant: try row.identifier("merchant_id"), acquirer: try row.string("acquirer"),
                account: try row.string("account"), date: date),
            status: try row.word("status"), openDifferences: try row.int64("open_differences"),
            oldest: try row.optionalTime("oldest_at"), report: try row.bytes("report"),
            checkedAt: try row.time("checked_at"))
    }
}
