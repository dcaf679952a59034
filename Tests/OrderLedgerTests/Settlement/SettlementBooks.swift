import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

/// Books that have every kind of settlement fact: files of two days, rows of ours and of nobody, disputes that take money and
/// that take none, pay-outs of both signs, and a difference that is explained.
enum SettlementBooks {
    private typealias Fixture = SettlementFixture

    static func facts() throws -> [Fact] {
        let history = Fixture.history()
        let stranger = history.row(nil, serial: "x1", amount: 500, fee: 3)
        let rows = [Fixture.row(1), Fixture.row(2, amount: 10_000), stranger]
        let explained = try #require(
            DifferenceExplained(
                day: stranger.day, difference: DifferenceID(theirs: stranger.id, on: stranger.day), kind: .onlyTheirs,
                amount: stranger.amount, reason: "the till's own terminal", by: "li.wei"))
        return try [1, 2, 3].flatMap { try Fixture.paid($0) } + rows.map { .settlementRecorded($0) }
            + [
                .disputeOpened(history.dispute(amount: 10_900, net: -10_900)),
                .disputeOpened(history.dispute(nil, serial: "x1", amount: 500, net: 0)),
                .settlementFileRecorded(history.file(rows, disputes: 2)),
                .settlementFileRecorded(history.file([], on: "2023-11-22")), .differenceExplained(explained),
            ] + [history.payOut(9_000, on: "2023-11-21"), history.payOut(-12, "b-2")].compactMap(\.self)
    }

    /// A change that the service did not make, and what undoes it.
    struct Damage: CustomStringConvertible, Sendable {
        let table: String
        let sql: String
        /// The checks of the audit that must fail, and those of the replay.
        let audit: Set<String>
        var replay: Set<String> = []

        var description: String { sql }
    }

    private static let kinds = ["file", "row", "dispute", "explanation", "payOut"]

    /// Of each kind of row that says where a fact of a day is.
    static let places = kinds.flatMap { kind -> [Damage] in
        let row = "ctid = (SELECT max(ctid) FROM ledger.settlement_facts WHERE kind = '\(kind)')"
        let other = kind == "row" ? "file" : "row"
        let changes = [
            "DELETE FROM ledger.settlement_facts WHERE \(row)",
            "UPDATE ledger.settlement_facts SET settlement_date = '2023-11-19' WHERE \(row)",
            "UPDATE ledger.settlement_facts SET kind = '\(other)' WHERE \(row)",
            "UPDATE ledger.settlement_facts SET account = '777290058110049' WHERE \(row)",
            "UPDATE ledger.settlement_facts SET owed = coalesce(owed, 0) + 1 WHERE \(row)",
            "UPDATE ledger.settlement_facts SET order_id = gen_random_uuid() WHERE \(row)",
            "UPDATE ledger.settlement_facts SET \"offset\" = \"offset\" + 100 WHERE \(row)",
            "INSERT INTO ledger.settlement_facts SELECT partition, \"offset\" + 100, order_id, kind, merchant_id, acquirer, "
                + "account, settlement_date, owed FROM ledger.settlement_facts WHERE \(row)",
        ]
        return changes.map { Damage(table: "settlement_facts", sql: $0, audit: ["R2"], replay: ["R2"]) }
    }

    /// Of each kind of entry: a line is lost, all are, an amount is another one in balance, and another account.
    static let entries = ["settlement", "unallocatedSettlement", "dispute", "payOut"].flatMap { kind -> [Damage] in
        let place =
            "(partition, \"offset\") = (SELECT partition, \"offset\" FROM ledger.entries WHERE kind = '\(kind)' LIMIT 1)"
        let replay: Set = ["R1"]
        return [
            Damage(
                table: "entries", sql: "DELETE FROM ledger.entries WHERE line = 0 AND \(place)",
                audit: ["T1", "T2", "B1", "X1"], replay: replay),
            Damage(
                table: "entries", sql: "DELETE FROM ledger.entries WHERE \(place)", audit: ["T1", "T2", "B1", "X1"],
                replay: replay),
            Damage(
                table: "entries", sql: "UPDATE ledger.entries SET amount = amount * 2 WHERE \(place)",
                audit: ["T1", "T2", "B1", "X1"], replay: replay),
            Damage(
                table: "entries",
                sql:
                    "UPDATE ledger.entries SET account = 'assets:bank' WHERE account = 'assets:bank-receivable' AND \(place)",
                audit: ["T1", "T2", "B1", "X1"], replay: replay),
            Damage(
                table: "entries", sql: "UPDATE ledger.entries SET kind = 'sale' WHERE \(place)",
                audit: ["T1", "T2", "X1"], replay: replay),
        ]
    }

    /// Of the stored report of a day.
    static let reports = [
        "SET status = 'reconciled'", "SET open_differences = 0", "SET oldest_at = oldest_at + interval '1 day'",
        "SET oldest_at = NULL", "SET checked_at = checked_at + interval '1 second'", "SET report = report || ' '",
        "SET report = convert_to(replace(convert_from(report, 'UTF8'), 'amountDiffers', 'feeDiffers'), 'UTF8')",
        "SET account = '777290058110049'", "SET acquirer = 'meadow'", "SET settlement_date = '2023-10-21'",
        "SET settlement_date = 'yesterday'", "SET merchant_id = gen_random_uuid()", "SET status = 'paid'",
    ].map { change in
        Damage(
            table: "settlement_days",
            sql: "ALTER TABLE ledger.settlement_days DROP CONSTRAINT IF EXISTS settlement_days_status_check; "
                + "UPDATE ledger.settlement_days \(change) WHERE settlement_date = '2023-11-21'", audit: ["X3"])
    }
}
