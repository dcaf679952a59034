import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Sums the entries up to a time, in one snapshot.
///
/// It reads every entry, and by booking time also the row of `facts` that booked it: no balance is stored, because one
/// that is stored can be wrong. PostgreSQL shares the search among its parallel workers.
struct AccountBalances {
    let connection: PostgresConnection

    /// - Parameter time: nil for now, by the database's clock.
    /// - Throws: ``StoreError`` when sums exceed 64 bits or an entry's currency is unknown: `audit` names the rows.
    func balances(
        at time: Timestamp?, by basis: PointInTimeBalances.Basis
    ) async throws -> PointInTimeBalances {
        try await connection.transaction(.snapshot) { connection in
            let clock = try await connection.query("SELECT clock_timestamp() AS now")
            let end = try time ?? clock[0].time("now")
            let rows = try await connection.query(Self.sql(basis), [end.postgres])
            var sums: [MerchantID: [(currency: Currency, account: String, debit: Int64, credit: Int64)]] = [:]
            for row in rows {
                sums[try row.identifier("merchant_id"), default: []].append(
                    (
                        try row.currency("currency"), try row.string("account"), try Self.sum("debit", row),
                        try Self.sum("credit", row)
                    ))
            }
            let merchants = try sums.map { id, sums in
                guard let balance = TrialBalance(sums: sums) else { throw Self.tooLarge }
                return PointInTimeBalances.Merchant(id, balance)
            }
            return PointInTimeBalances(at: end, by: basis, merchants)
        }
    }

    private static func sql(_ basis: PointInTimeBalances.Basis) -> String {
        let source =
            switch basis {
            case .event: "ledger.entries AS e WHERE e.occurred_at <= $1"
            case .booking:
                #"ledger.entries AS e JOIN ledger.facts AS f USING (partition, "offset") WHERE f.recorded_at <= $1"#
            }
        return """
            SELECT e.merchant_id, e.currency, e.account,
                coalesce(sum(e.amount) FILTER (WHERE e.amount > 0), 0)::text AS debit,
                coalesce(-sum(e.amount) FILTER (WHERE e.amount < 0), 0)::text AS credit
            FROM \(source) GROUP BY e.merchant_id, e.currency, e.account
            """
    }

    private static func sum(_ column: String, _ row: PostgresRow) throws -> Int64 {
        guard let sum = Int64(try row.string(column)) else { throw tooLarge }
        return sum
    }

    private static let tooLarge = StoreError(
        .malformed, at: "entries", "the sums of an account exceed 64 bits: order-ledger audit names the rows")
}
