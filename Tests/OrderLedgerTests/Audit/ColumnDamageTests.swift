import Contracts
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardPostgres
import Outbox
import Testing

@testable import OrderLedger

/// Damages every column of every table of the books, one at a time and in several ways, and expects the audit to name
/// the place. The test includes later columns automatically.
@Suite("Each change of a column of the books is found", .timeLimit(.minutes(10)))
struct ColumnDamageTests {
    static let tables = JournalTables.names + OrderTables.names + ["inbox_watermarks"]

    /// Columns that prove nothing, and why.
    static let notes = [
        "facts.recorded_at": "when this database wrote the row; the fact's own time is in its record",
        "inbox_watermarks.updated_at": "when the watermark last moved",
        "inbox_watermarks.cluster_id": "compared with Kafka by each start of the service, which refuses another one",
        "inbox_watermarks.system_identifier": "compared with the server by each batch, which refuses another one",
        "inbox_watermarks.timeline": "compared with the server by each batch, which refuses another one",
        "inbox_watermarks.objects": "compared with the tables by each batch, which refuses others",
        "inbox_watermarks.last_offset":
            "compared with the topic by each start of the service, which refuses another one",
        "inbox_watermarks.last_digest":
            "compared with the topic by each start of the service, which refuses another one",
        "inbox_watermarks.mark": "where the last recovery found the end of the log; the fold does not read it",
        "inbox_watermarks.refusal": "stops the partition, and says so in /readyz",
    ]

    /// A few changes for a type: nonsense, a likely value, NULL instead of a value, a value instead of NULL.
    private static func changes(_ column: String, _ type: String, isNullable: Bool) -> [String] {
        let quoted = #""\#(column)""#
        var changes: [String]
        switch type {
        case "text":
            changes = ["\(quoted) || 'x'", "translate(\(quoted), '0123456789abcdef', '123456789abcdef0')", "''"]
            // Marks that Swift sorts before it compares: minutes for each comparison.
            changes.append("repeat(U&'\\0300\\0316', 50000)")
        case "bytea": changes = [#"\#(quoted) || '\x20'"#, #"set_byte(\#(quoted), 0, 255 - get_byte(\#(quoted), 0))"#]
        case "uuid": changes = ["md5(\(quoted)::text)::uuid", "translate(\(quoted)::text, '01', '10')::uuid"]
        case "timestamp with time zone":
            changes = ["\(quoted) + interval '1 microsecond'", "'294247-01-10 03:30:00+00'", "'infinity'"]
        default: changes = ["\(quoted) + 1", "\(quoted) - 1"]
        }
        // A watermark that is too high looks like gaps in the topic to the books alone: only replay finds it.
        if column == "next_offset" { return ["\(quoted) - 1"] }
        if type == "bigint" { changes += [String(Int64.max), String(Int64.min)] }
        if isNullable { changes.append("NULL") }
        return changes
    }

    /// The value instead of NULL.
    private static func invention(_ type: String) -> String {
        switch type {
        case "text": "'x'"
        case "bytea": #"'\x78'"#
        case "uuid": "gen_random_uuid()"
        case "timestamp with time zone": "now()"
        default: "7"
        }
    }

    @Test(
        "The audit finds the change of each column, at its place, also of records that are kept as they came",
        arguments: tables.map { ($0, true) } + [("facts", false)])
    func columns(_ table: String, isPacked: Bool) async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.story())
            if !isPacked { try await ledger.unpack() }
            let clean = try await ledger.audit()
            #expect(clean.exitStatus == 0, "\(clean.text)")
            // The tamperer owns the database, so constraints do not stop him. That alone is a finding (T3).
            for row in try await ledger.owner.query(
                """
                SELECT conrelid::regclass::text AS relation, quote_ident(conname) AS name FROM pg_constraint
                WHERE connamespace = 'ledger'::regnamespace AND contype = 'c'
                """)
            {
                try await ledger.tamper(
                    "ALTER TABLE \(row.string("relation")) DROP CONSTRAINT \(row.string("name"))")
            }
            let known = Self.failures(try await ledger.audit())
            #expect(Set(known.map(\.check)) == ["T3"])
            try await ledger.owner.script("CREATE TABLE public.saved AS TABLE ledger.\(table)")
            let columns = try await ledger.owner.query(
                """
                SELECT column_name::text AS name, data_type::text AS type, is_nullable = 'YES' AS nullable
                FROM information_schema.columns WHERE table_schema = 'ledger' AND table_name = $1
                """, [table])
            #expect(!columns.isEmpty)
            for column in columns {
                let name = try column.string("name")
                guard Self.notes["\(table).\(name)"] == nil else { continue }
                let type = try column.string("type")
                for change in Self.changes(name, type, isNullable: try column.bool("nullable")) {
                    try await expectFinding(ledger, table, name, change, "IS DISTINCT FROM \(change)", known)
                }
                if try column.bool("nullable") {
                    try await expectFinding(ledger, table, name, Self.invention(type), "IS NULL", known)
                }
            }
        }
    }

    /// A finding that makes an audit fail, and its check.
    private struct Failure: Hashable {
        let check: String
        let finding: AuditCheck.Finding
    }

    private static func failures(_ report: AuditReport) -> Set<Failure> {
        Set(
            report.checks.filter { $0.outcome == .failed }.flatMap { check in
                check.findings.map { Failure(check: check.id, finding: $0) }
            })
    }

    /// Changes the newest row that the change affects, audits, and undoes the change.
    private func expectFinding(
        _ ledger: TestLedger, _ table: String, _ column: String, _ change: String, _ condition: String,
        _ known: Set<Failure>
    ) async throws {
        let row: PostgresRow?
        do {
            row = try await ledger.tampering { connection in
                try await connection.query(
                    """
                    UPDATE ledger.\(table) SET "\(column)" = \(change) WHERE ctid = (SELECT max(ctid) FROM ledger.\(table)
                        WHERE "\(column)" \(condition) AND partition = \(Shop.partition)) RETURNING *
                    """
                ).first
            }
        } catch let error as PostgresError where error.isUniqueViolation {
            // The table's key prevents this change.
            return
        }
        guard let row else { return }
        let report = try await ledger.audit()
        try await ledger.tamper("TRUNCATE ledger.\(table); INSERT INTO ledger.\(table) TABLE public.saved")
        let damage = "\(table).\(column) = \(change) where it \(condition)"
        let found = Self.failures(report).subtracting(known).map(\.finding)
        #expect(!found.isEmpty, "\(damage)\n\(report.text)")
        if JournalTables.appendOnly.contains(table), column != "offset", column != "partition" {
            let place = JournalPosition(partition: Shop.partition, offset: try row.int64("offset"))
            #expect(found.contains { $0.position == place }, "\(damage)\n\(report.text)")
        } else {
            #expect(
                found.contains { $0.position?.partition == Shop.partition || $0.text.contains("P\(Shop.partition)") },
                "\(damage)\n\(report.text)")
        }
    }

    /// Gives a row in every table: an order that is paid and repriced, one that is cancelled, a refused command, a fact
    /// that waits, one that contradicts, one that is unreadable.
    private static func story() throws -> [JournalRecord] {
        let history = History()
        let totals = try Shop.totals()
        let neighbours = (2...UInt8.max).map { Shop.orderID($0) }.filter {
            Partitioner.partition(of: $0, among: Shop.partitions) == Shop.partition
        }
        let (neighbour, held, odd) = (neighbours[0], History(neighbours[1]), History(neighbours[2]))
        let cancelled = OrderClosed(
            order: neighbour, merchant: history.merchant, reason: .cancelled,
            command: CommandID(hash: [UInt8](repeating: 3, count: 32)))
        let facts =
            [history.offer(1, totals), history.offer(2, try Shop.totals(shipping: 900))]
            + history.payment(amount: totals.amount, .accepted, .succeeded)
            + [
                History(neighbour).offer(1, totals), .orderClosed(cancelled), history.commandRejected(2),
                history.fact(Shop.paymentID(2), transition: 1, amount: totals.amount, .refused),
                history.fact(Shop.paymentID(3), transition: 7, amount: totals.amount, .succeeded),
                history.closed(.expired), held.offer(1, totals),
            ]
            + held.payment(Shop.paymentID(4), amount: totals.amount, .accepted, .authorised)
            + [held.finalised(2, try Shop.totals(shipping: 900))]
            + (try Self.followUps(held, totals))
            + [odd.offer(1, totals)]
            + odd.payment(Shop.paymentID(5), amount: Money(minorUnits: 7, currency: .cny), .accepted, .succeeded)
            + (try Self.settlement(history, totals))
        let junk = JournalRecord(
            position: JournalPosition(partition: Shop.partition, offset: Int64(facts.count)), key: nil,
            headers: [.init(name: "x", value: [0xFF])], value: Array("junk".utf8))
        return facts.records() + [junk]
    }

    /// A settled day whose name is in the partition, with a row of an order and one of none.
    private static func settlement(_ history: History, _ totals: OfferTotals) throws -> [Fact] {
        let dates: [String] = (10...30).map { "2023-12-\($0)" }
        let own = dates.first { date in
            Partitioner.partition(of: history.day(date).subject, among: Shop.partitions) == Shop.partition
        }
        let date = try #require(own)
        let rows = [
            history.row(amount: totals.total, fee: 65, on: date),
            history.row(nil, serial: "q9", amount: 500, fee: 3, on: date),
        ]
        return rows.map { .settlementRecorded($0) } + [.settlementFileRecorded(history.file(rows, on: date))]
    }

    /// Voided captures, a refund of given lines, one that failed and one without an outcome.
    private static func followUps(_ held: History, _ totals: OfferTotals) throws -> [Fact] {
        let payment = Shop.paymentID(4)
        let lines = try Shop.totals(subtotal: 100, discount: 0, shipping: 0, tax: 6)
        return held.followUps(.capture, 1, of: payment, amount: totals.amount, .accepted, .succeeded)
            + held.followUps(.void, 2, of: payment, target: .capture, amount: totals.amount, .accepted, .succeeded)
            + held.followUps(.capture, 3, of: payment, amount: totals.amount, parts: totals, .accepted, .succeeded)
            + held.followUps(.refund, 4, of: payment, amount: lines.amount, parts: lines, .accepted, .succeeded)
            + held.followUps(.refund, 5, of: payment, amount: lines.amount, .accepted, .failed)
            + held.followUps(.refund, nil, of: payment, amount: lines.amount, .accepted, .unknown)
    }
}
