import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Reconciles a settled day out of the books and keeps its report.
struct SettlementReconciler {
    let connection: PostgresConnection

    /// A day as it was reconciled.
    struct Outcome {
        let reconciliation: Reconciliation
        let bank: BankBalance
        let report: [UInt8]
    }

    /// Reads the day in one snapshot and stores its report.
    ///
    /// - Returns: nil for a day of which nothing is known.
    func reconcile(_ day: SettlementDay, at now: Timestamp) async throws -> Outcome? {
        let outcome = try await connection.transaction(.snapshot) { connection in
            try await Self.outcome(SettlementReader(connection: connection, day: day), at: now)
        }
        guard let outcome else { return nil }
        let reconciliation = outcome.reconciliation
        try await connection.execute(
            """
            INSERT INTO ledger.settlement_days (merchant_id, acquirer, account, settlement_date, status, open_differences,
                oldest_at, report, checked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (merchant_id, acquirer, account, settlement_date) DO UPDATE SET status = excluded.status,
                open_differences = excluded.open_differences, oldest_at = excluded.oldest_at,
                report = excluded.report, checked_at = excluded.checked_at
            """,
            [
                day.merchant, day.acquirer, day.account, day.date.description, reconciliation.status.rawValue,
                reconciliation.differences.open, reconciliation.differences.oldest?.postgres, outcome.report,
                now.postgres,
            ])
        return outcome
    }

    /// The stored report of a day; anew when there is none, or when facts have come since that it rests on.
    ///
    /// A look whether there are costs a fraction of the comparison.
    func refreshed(_ day: SettlementDay, at now: Timestamp) async throws -> SettlementDays.Item? {
        let days = SettlementDays(connection: connection)
        if let stored = try await days.item(day),
            try await SettlementReader(connection: connection, day: day).isUnchanged(since: stored.checkedAt)
        {
            return stored
        }
        _ = try await reconcile(day, at: now)
        return try await days.item(day)
    }

    /// What the books say of a day now. Call it in a snapshot.
    ///
    /// - Returns: nil for a day of which nothing is known.
    static func outcome(_ reader: SettlementReader, at now: Timestamp) async throws -> Outcome? {
        let (reconciliation, bank) = (try await Self.reconcile(reader), try await Self.bank(reader))
        guard !reconciliation.isEmpty else { return nil }
        return Outcome(
            reconciliation: reconciliation, bank: bank, report: reconciliation.json(bank, checkedAt: now))
    }

    private static func reconcile(_ reader: SettlementReader) async throws -> Reconciliation {
        let date = reader.day.date
        let file = try await file(reader, date)
        let rows = try await reader.count("row", on: date)
        let next = try await self.file(reader, date.adding(days: 1))
        let isNextWhole =
            if let next { try await reader.count("row", on: date.adding(days: 1)) >= next.fact.rows } else { false }
        var reconciliation = Reconciliation(
            reader.day, file: file, isWhole: rows >= file?.fact.rows ?? .max,
            nextFile: isNextWhole ? next?.time : nil,
            explanations: try await reader.facts("explanation", on: date).compactMap { event in
                if case .differenceExplained(let fact) = event.fact { fact } else { nil }
            })
        try await addRows(to: &reconciliation, reader)
        try await addOurs(to: &reconciliation, reader)
        for event in try await reader.facts("dispute", on: date) {
            if case .disputeOpened(let dispute) = event.fact { reconciliation.add(dispute) }
        }
        reconciliation.close()
        return reconciliation
    }

    private static func file(
        _ reader: SettlementReader, _ date: SettlementDate
    ) async throws -> Reconciliation.Dated<SettlementFileRecorded>? {
        for event in try await reader.facts("file", on: date) {
            if case .settlementFileRecorded(let fact) = event.fact {
                return Reconciliation.Dated(fact, at: event.event.time)
            }
        }
        return nil
    }

    private static func addRows(to reconciliation: inout Reconciliation, _ reader: SettlementReader) async throws {
        var last: JournalPosition?
        repeat {
            let page = try await reader.facts("row", on: reader.day.date, behind: last)
            let orders = try await reader.orders(
                page.filter { $0.fact.settledOperation != nil }.map { ($0.position.partition, $0.fact.order) })
            for event in page {
                guard case .settlementRecorded(let row) = event.fact else { continue }
                reconciliation.add(Reconciliation.Dated(row, at: event.event.time), of: orders[row.order])
            }
            last = page.count == Int(SettlementReader.page) ? page.last?.position : nil
        } while last != nil
    }

    private static func addOurs(to reconciliation: inout Reconciliation, _ reader: SettlementReader) async throws {
        var orders = try await SettlementOrders(reader)
        while let page = try await orders.page() {
            let states = try await reader.orders(page)
            for id in page { if let state = states[id.order] { reconciliation.add(state) } }
        }
    }

    /// What the acquirer owed at the day's end by its files, and what the bank has received.
    private static func bank(_ reader: SettlementReader) async throws -> BankBalance {
        let day = reader.day
        // Only damaged rows sum to more than ±9e18. Such a sum is cut off, and differs from every report.
        let rows = try await reader.connection.query(
            """
            SELECT least(greatest(coalesce(sum(owed), 0), -9e18), 9e18)::bigint AS outstanding,
                least(greatest(coalesce(-sum(owed) FILTER (WHERE kind = 'payOut' AND settlement_date = $4), 0), -9e18),
                    9e18)::bigint AS paid_out
            FROM ledger.settlement_facts
            WHERE merchant_id = $1 AND acquirer = $2 AND account = $3 AND kind IN ('file', 'dispute', 'payOut')
                AND settlement_date <= $4
            """, [day.merchant, day.acquirer, day.account, day.date.description])
        return BankBalance(
            paidOut: try rows[0].int64("paid_out"), outstanding: try rows[0].int64("outstanding"))
    }
}
