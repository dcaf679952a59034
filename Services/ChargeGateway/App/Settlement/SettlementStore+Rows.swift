import Charging
import Contracts
import OrchardPostgres
import Outbox

extension SettlementStore {
    /// A row with the operation of ours that it is about.
    struct Matched: Sendable {
        let row: SettlementRow
        let operation: KnownOperation?
        /// The operation's; else the day's.
        let partition: Int32
        let day: SettlementDay
    }

    /// Inserts rows of a file.
    static let insertion = RowInsertion<Matched>(
        into: "gateway.settlement_rows",
        [
            RowColumn("partition") { $0.partition }, RowColumn("acquirer") { $0.day.acquirer },
            RowColumn("account") { $0.day.account },
            RowColumn("settlement_date") { $0.day.date.description },
            RowColumn("line") { Int32($0.row.line) }, RowColumn("kind") { $0.row.kind.rawValue },
            RowColumn("serial") { $0.row.serial }, RowColumn("trace") { $0.row.trace },
            RowColumn("order_number") { $0.row.orderNumber }, RowColumn("amount") { $0.row.amount.minorUnits },
            RowColumn("currency") { $0.row.amount.currency.code }, RowColumn("fee") { $0.row.fee },
            RowColumn("net") { $0.row.net }, RowColumn("order_id") { $0.operation?.order },
            RowColumn("payment_id") { $0.operation?.payment }, RowColumn("operation_id") { $0.operation?.operation },
        ])

    /// The newest row, on the day or before it, that a dispute names.
    func disputed(
        _ trace: String, of day: SettlementDay, on connection: PostgresConnection
    ) async throws -> (serial: String, settled: (partition: Int32, order: OrderID, SettledOperation)?)? {
        let rows = try await connection.query(
            """
            SELECT partition, serial, order_id, payment_id, operation_id FROM gateway.settlement_rows
            WHERE acquirer = $1 AND account = $2 AND settlement_date <= $3 AND trace = $4
            ORDER BY settlement_date DESC LIMIT 1
            """, Self.key(day) + [trace])
        guard let row = rows.first else { return nil }
        guard let order: OrderID = try row.optionalIdentifier("order_id") else {
            return (try row.string("serial"), nil)
        }
        let operation = SettledOperation(
            payment: try row.identifier("payment_id"), operation: try row.identifier("operation_id"))
        return (try row.string("serial"), (try row.int32("partition"), order, operation))
    }

    /// Whether a row of any file of the account has one of these order numbers.
    func isListed(
        _ orderNumbers: [String], acquirer: String, account: String, on connection: PostgresConnection
    ) async throws -> Bool {
        try await !connection.query(
            """
            SELECT line FROM (
                SELECT line, acquirer, account FROM gateway.settlement_rows WHERE order_number = ANY($1) OFFSET 0) AS named
            WHERE acquirer = $2 AND account = $3 LIMIT 1
            """, [orderNumbers, acquirer, account]
        ).isEmpty
    }

    /// The days from `first` on whose files were read to their end.
    func recordedDays(
        acquirer: String, account: String, from first: SettlementDate, on connection: PostgresConnection
    ) async throws -> Set<SettlementDate> {
        let rows = try await connection.query(
            """
            SELECT settlement_date AS day FROM gateway.settlement_files
            WHERE acquirer = $1 AND account = $2 AND settlement_date >= $3 AND recorded_at IS NOT NULL
            """, [acquirer, account, first.description])
        return try rows.reduce(into: []) { days, row in
            guard let day = SettlementDate(try row.string("day")) else {
                throw StoreError(.malformed, at: "settlement_date", "the column holds no day")
            }
            days.insert(day)
        }
    }

    /// Whether something that moves money, and is not known to have failed, has its transaction time in a span: a sale, a
    /// capture, a refund, or a void of one of them.
    func hasOperations(
        acquirer: String, account: String, from: Timestamp, to end: Timestamp, on connection: PostgresConnection
    ) async throws -> Bool {
        try await !connection.query(
            """
            (SELECT partition FROM gateway.operations
                WHERE acquirer = $1 AND account = $2 AND transaction_time >= $3 AND transaction_time < $4
                    AND kind = 'sale' AND phase NOT IN ('created', 'declined', 'refused') LIMIT 1)
            UNION ALL
            (SELECT partition FROM gateway.follow_ups
                WHERE acquirer = $1 AND account = $2 AND transaction_time >= $3 AND transaction_time < $4
                    AND (kind <> 'void' OR target <> 'authorisation') AND phase NOT IN ('created', 'declined') LIMIT 1)
            """, [acquirer, account, from.postgres, end.postgres]
        ).isEmpty
    }
}
