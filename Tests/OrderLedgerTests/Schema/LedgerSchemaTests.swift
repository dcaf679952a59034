import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite(
    "The database refuses what the books forbid")
struct LedgerSchemaTests {
    private static let line = """
        INSERT INTO ledger.entries (partition, "offset", entry, line, kind, cause, occurred_at, order_id, payment_id,
            merchant_id, rules, account, currency, amount)
        SELECT 0, 7, 0, l, 'sale', id, now(), id, id, id, 1, 'a', c, a FROM gen_random_uuid() AS id, (VALUES
        """

    @Test("The service's role may only insert and read the journal", arguments: JournalTables.appendOnly)
    func grants(_ table: String) async throws {
        try await TestLedger.with { ledger in
            for sql in [
                "UPDATE ledger.\(table) SET partition = 1", "DELETE FROM ledger.\(table)",
                "TRUNCATE ledger.\(table)", "ALTER TABLE ledger.\(table) DISABLE TRIGGER ALL",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await ledger.database.withConnection { try await $0.execute(sql) }
                }
                #expect(error?.sqlState == "42501", "\(sql)")
            }
            _ = try await ledger.database.withConnection { try await $0.query("SELECT * FROM ledger.\(table)") }
        }
    }

    @Test(
        "Neither the owner nor a session in replica mode can change a row while triggers are on",
        arguments: JournalTables.appendOnly, ["origin", "replica"])
    func appendOnly(_ table: String, _ role: String) async throws {
        try await TestLedger.with { ledger in
            try await ledger.owner.script("SET session_replication_role = \(role)")
            for sql in [
                "UPDATE ledger.\(table) SET partition = 1", "DELETE FROM ledger.\(table)", "TRUNCATE ledger.\(table)",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await ledger.owner.execute(sql)
                }
                #expect(error?.sqlState == "42501", "\(sql)")
            }
        }
    }

    @Test(
        "A statement with an entry that does not balance is refused as a whole",
        arguments: [
            ("(0, 'CNY', 100), (1, 'CNY', -100)", true), ("(0, 'CNY', 100), (1, 'CNY', -99)", false),
            ("(0, 'CNY', 100), (1, 'JPY', -100)", false), ("(0, 'CNY', 100)", false),
            ("(0, 'CNY', 0), (1, 'CNY', 0)", false),
        ])
    func balance(_ lines: String, _ isAccepted: Bool) async throws {
        try await TestLedger.with { ledger in
            let sql = Self.line + lines + ") AS v (l, c, a)"
            do {
                let rows = try await ledger.database.withConnection { try await $0.execute(sql) }
                #expect(isAccepted && rows == 2)
            } catch let error as PostgresError {
                #expect(!isAccepted)
                #expect(error.sqlState == "23514")
            }
        }
    }

    @Test("Migrating again does nothing")
    func again() async throws {
        try await TestLedger.with { ledger in
            let titles = try await LedgerSchema.migrator.migrate(ledger.owner)
            #expect(titles.isEmpty)
            try await ledger.database.withConnection { try await LedgerSchema.migrator.check($0) }
        }
    }
}
