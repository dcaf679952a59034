import Contracts
import OrchardPostgres

/// Reads the ledger's tables.
struct LedgerBook: Sendable {
    let connection: PostgresConnection

    func payments() async throws -> [BookedPayment] {
        let rows = try await connection.query(
            "SELECT order_id, payment_id, status, reason, amount FROM ledger.payments")
        return try rows.map { row in
            BookedPayment(
                order: try row.identifier("order_id"), payment: try row.identifier("payment_id"),
                outcome: OrderEnd.Outcome(
                    status: try row.string("status"), reason: try row.optionalString("reason"),
                    amount: try row.int64("amount")))
        }
    }

    func orders() async throws -> [OrderID: OrderEnd.State] {
        let rows = try await connection.query("SELECT order_id, status FROM ledger.orders")
        return Dictionary(
            try rows.map { row in
                (try row.identifier("order_id"), OrderEnd.State(rawValue: try row.string("status")) ?? .open)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The sums of the entries, by order and account, without what acquirer and bank settled of them.
    func entries() async throws -> [OrderID: [String: Int64]] {
        let rows = try await connection.query(
            """
            SELECT order_id, account, sum(amount)::bigint AS amount FROM ledger.entries
            WHERE kind NOT IN ('settlement', 'unallocatedSettlement', 'dispute', 'payOut') GROUP BY order_id, account
            """)
        var sums: [OrderID: [String: Int64]] = [:]
        for row in rows {
            sums[try row.identifier("order_id"), default: [:]][try row.string("account")] =
                try row.int64("amount")
        }
        return sums
    }

    /// What the rows of settlement files settled of each order.
    func settled() async throws -> [OrderID: Int64] {
        let rows = try await connection.query(
            """
            SELECT order_id, -sum(amount)::bigint AS amount FROM ledger.entries
            WHERE kind = 'settlement' AND account = 'assets:acquirer-receivable' GROUP BY order_id
            """)
        return Dictionary(
            try rows.map { (try $0.identifier("order_id"), try $0.int64("amount")) }, uniquingKeysWith: +)
    }

    /// The number of the shop's rejected commands, by the journal.
    func rejectedCommands() async throws -> [OrderID: Int] {
        let rows = try await connection.query("SELECT order_id FROM ledger.refused_commands")
        return Dictionary(try rows.map { (try $0.identifier("order_id"), 1) }, uniquingKeysWith: +)
    }

    /// Debits and credits of each account and currency, for the summary.
    func trialBalance() async throws -> [TrialBalanceLine] {
        let rows = try await connection.query(
            """
            SELECT account, currency, coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS debit,
                coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS credit
            FROM ledger.entries GROUP BY account, currency ORDER BY account, currency
            """)
        return try rows.map { row in
            guard let currency = Currency(try row.string("currency")) else {
                throw DemoError("the ledger has an unknown currency")
            }
            return TrialBalanceLine(
                account: try row.string("account"), currency: currency, debit: try row.int64("debit"),
                credit: try row.int64("credit"))
        }
    }
}

/// One line of the trial balance, in minor units.
struct TrialBalanceLine: Hashable, Sendable {
    let account: String
    let currency: Currency
    let debit: Int64
    let credit: Int64
}

extension PostgresRow {
    /// An identifier in a book, which keeps it as `uuid`.
    func identifier<Kind>(_ column: String) throws -> Identifier<Kind> {
        guard let halves = try optionalUUID(column) else { throw DemoError("\(column) is NULL") }
        return Identifier(high: halves.high, low: halves.low)
    }
}

extension OrderEnd.Outcome {
    /// The outcome from a book's texts.
    init(status: String, reason: String?, amount: Int64) {
        switch status {
        case "succeeded": self = .succeeded(amount)
        case "lateSuccess": self = .lateSuccess(amount)
        case "authorised": self = .authorised(amount)
        case "declined":
            self = DeclineReason(rawValue: reason ?? "").map { .declined($0) } ?? .other("declined: \(reason ?? "")")
        case "refused":
            self = RefusalReason(rawValue: reason ?? "").map { .refused($0) } ?? .other("refused: \(reason ?? "")")
        default: self = .other(status)
        }
    }
}
