import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Settlement files as people see them.
struct SettlementReport: Sendable {
    /// The taken files, by account and the newest first, then what is kept aside.
    func list(_ limit: Int, on connection: PostgresConnection) async throws -> [String] {
        let files = try await connection.query(
            """
            SELECT acquirer, account, settlement_date, row_count, dispute_count, currency, net, recorded_at IS NULL AS is_open,
                recorded
            FROM gateway.settlement_files ORDER BY acquirer DESC, account DESC, settlement_date DESC LIMIT \(limit)
            """
        ).map { row in
            let (rows, disputes) = (try row.int64("row_count"), try row.int64("dispute_count"))
            let state =
                try row.bool("is_open")
                ? "under way, \(try row.int64("recorded")) of \(rows + disputes)  " : "recorded  "
            let net = Self.amount(try row.int64("net"), try row.currency("currency"))
            return "\(try Self.day(row))  \(state)\(rows) rows  \(disputes) disputes  net \(net)"
        }
        return files + (try await refusals(limit, on: connection))
    }

    private func refusals(_ limit: Int, on connection: PostgresConnection) async throws -> [String] {
        try await connection.query(
            """
            SELECT acquirer, account, settlement_date, refused_at, reason
            FROM gateway.settlement_refusals ORDER BY acquirer DESC, account DESC, settlement_date DESC LIMIT \(limit)
            """
        ).map { row in
            "\(try Self.day(row))  kept aside at \(try row.time("refused_at"))  \(try row.string("reason"))"
        }
    }

    /// Everything about the files of a day, each by itself.
    ///
    /// - Parameter account: nil for all.
    func show(
        _ date: SettlementDate, account: String?, on connection: PostgresConnection
    ) async throws -> [[String]] {
        let files = try await connection.query(
            """
            SELECT acquirer, account, settlement_date, merchant_id, row_count, dispute_count, currency, taken, returned, fees,
                net, encode(digest, 'hex') AS digest, octet_length(content) AS bytes, fetched_at, recorded_at, recorded
            FROM gateway.settlement_files WHERE settlement_date = $1 AND ($2::text IS NULL OR account = $2)
            ORDER BY acquirer, account
            """, [date.description, account])
        var all: [[String]] = []
        for file in files { all.append(try Self.lines(file) + (try await unmatched(file, on: connection))) }
        return all
    }

    private func unmatched(_ file: PostgresRow, on connection: PostgresConnection) async throws -> [String] {
        try await connection.query(
            """
            SELECT line, kind, order_number, serial, amount, currency FROM gateway.settlement_rows
            WHERE order_id IS NULL AND acquirer = $1 AND account = $2 AND settlement_date = $3 ORDER BY line LIMIT 1000
            """,
            [try file.string("acquirer"), try file.string("account"), try file.string("settlement_date")]
        ).map { row in
            let amount = Self.amount(try row.int64("amount"), try row.currency("currency"))
            return "of no operation       line \(try row.int64("line"))  \(try row.string("kind"))  \(amount)  "
                + "order number \(try row.string("order_number"))  serial \(try row.string("serial"))"
        }
    }

    private static func lines(_ row: PostgresRow) throws -> [String] {
        let currency = try row.currency("currency")
        let total = try row.int64("row_count") + row.int64("dispute_count")
        let rows: [(String, String)] = [
            ("day", try row.string("settlement_date")), ("acquirer", try row.string("acquirer")),
            ("account", try row.string("account")),
            ("merchant", "\(try row.identifier("merchant_id") as MerchantID)"),
            ("rows", "\(try row.int64("row_count"))"), ("disputes", "\(try row.int64("dispute_count"))"),
            ("taken", amount(try row.int64("taken"), currency)),
            ("returned", amount(try row.int64("returned"), currency)),
            ("fees", amount(try row.int64("fees"), currency)), ("net", amount(try row.int64("net"), currency)),
            ("fetched", "\(try row.time("fetched_at"))"),
            (
                "recorded",
                try row.optionalTime("recorded_at").map { "\($0)" } ?? "\(try row.int64("recorded")) of \(total)"
            ),
            ("file", "\(try row.int64("bytes")) bytes, SHA-256 \(try row.string("digest"))"),
        ]
        return rows.map { $0 + String(repeating: " ", count: max(1, 22 - $0.utf8.count)) + $1 }
    }

    static func amount(_ minorUnits: Int64, _ currency: Currency) -> String {
        "\(Money(minorUnits: minorUnits, currency: currency))"
    }

    private static func day(_ row: PostgresRow) throws -> String {
        "\(try row.string("settlement_date"))  \(try row.string("acquirer"))  \(try row.string("account"))"
    }
}
