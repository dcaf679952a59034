import Contracts
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The audit finds every kind of damage")
struct AuditTests {
    /// A change made to the database without the ledger, the checks that must fail, and the place they name.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sql: String
        let checks: Set<String>
        let offset: Int64?
        /// The object of the schema that the audit must name.
        let object: String?

        init(
            _ name: String, _ sql: String, _ checks: Set<String>, at offset: Int64? = nil, object: String? = nil
        ) {
            testDescription = name
            self.sql = sql
            self.checks = checks
            self.offset = offset
            self.object = object
        }
    }

    static let damages = [
        Damage(
            "an amount is changed by one fen",
            #"UPDATE ledger.entries SET amount = amount + 1 WHERE "offset" = 2 AND line = 0"#,
            ["T1", "T2", "B1", "B2"],
            at: 2),
        Damage(
            "two amounts of an entry are changed so that it balances",
            #"UPDATE ledger.entries SET amount = amount + sign(amount) WHERE "offset" = 2 AND account IN ('assets:acquirer-receivable', 'income:sales')"#,
            ["T1", "T2", "B1"], at: 2),
        Damage("an entry is removed", #"DELETE FROM ledger.entries WHERE "offset" = 2"#, ["T1", "T2", "B1"], at: 2),
        Damage(
            "an entry is added",
            #"INSERT INTO ledger.entries SELECT partition, "offset", 1, line, kind, cause, occurred_at, order_id, payment_id, merchant_id, rules, account, currency, amount FROM ledger.entries WHERE "offset" = 2"#,
            ["T1", "T2", "B1"], at: 2),
        Damage(
            "an entry is moved to another merchant",
            #"UPDATE ledger.entries SET merchant_id = '0190a0b0c0d0e0f00102030405060709' WHERE "offset" = 2"#,
            ["T1", "T2"], at: 2),
        Damage(
            "an account is renamed",
            #"UPDATE ledger.entries SET account = 'assets:cash' WHERE "offset" = 2 AND line = 0"#,
            ["T1", "T2", "B1"], at: 2),
        Damage(
            "the newest row is removed with its entries",
            #"DELETE FROM ledger.facts WHERE "offset" = 4; DELETE FROM ledger.entries WHERE "offset" = 4"#,
            ["C3", "T1", "R2"], at: 4),
        Damage(
            "the newest entry is removed", #"DELETE FROM ledger.entries WHERE "offset" = 4"#, ["T1", "T2", "B1"], at: 4),
        Damage(
            "a row in the middle is removed", #"DELETE FROM ledger.facts WHERE "offset" = 1"#,
            ["C1", "C3", "T1", "T2", "B1", "R2"], at: 2),
        Damage(
            "a row is there twice, in a table without its keys",
            """
            ALTER TABLE ledger.facts DROP CONSTRAINT facts_pkey; DROP INDEX ledger.facts_event;
            INSERT INTO ledger.facts SELECT * FROM ledger.facts WHERE "offset" = 3
            """,
            ["C1", "C3", "T1", "T2", "T3"], at: 3),
        Damage(
            "a watermark is there twice, in a table without its key",
            """
            ALTER TABLE ledger.inbox_watermarks DROP CONSTRAINT inbox_watermarks_pkey;
            INSERT INTO ledger.inbox_watermarks SELECT * FROM ledger.inbox_watermarks
            """, ["T3"]),
        Damage(
            "a header's name is of combining marks only",
            """
            ALTER TABLE ledger.facts DROP CONSTRAINT facts_record;
            UPDATE ledger.facts SET record = NULL, key = NULL, value = 'x', headers = '\\x0100000008'::bytea
                || '\\x0000000000000001'::bytea || int4send(octet_length(n)) || n || '\\x00000000'::bytea
            FROM (SELECT convert_to(repeat(U&'\\0300\\0316', 250000), 'UTF8') AS n) AS t WHERE "offset" = 3
            """,
            ["T1", "T2", "T3", "B1", "R2"], at: 3),
        Damage(
            "a record is changed", #"UPDATE ledger.facts SET record = record || ' ' WHERE "offset" = 3"#,
            ["T1", "T2", "B1", "R2"], at: 3),
        Damage(
            "a byte of a record is changed",
            #"UPDATE ledger.facts SET record = set_byte(record, 60, get_byte(record, 60) # 16) WHERE "offset" = 3"#,
            ["T1", "T2", "B1", "R2"], at: 3),
        Damage(
            "a record is removed",
            #"ALTER TABLE ledger.facts DROP CONSTRAINT facts_record; UPDATE ledger.facts SET record = NULL WHERE "offset" = 3"#,
            ["T1", "T2", "T3", "B1", "R2"], at: 3),
        Damage(
            "a record gets a second value",
            #"ALTER TABLE ledger.facts DROP CONSTRAINT facts_record; UPDATE ledger.facts SET value = '{}' WHERE "offset" = 3"#,
            ["T1", "T2", "T3", "B1", "R2"], at: 3),
        Damage(
            "a record is replaced by another one",
            #"UPDATE ledger.facts SET record = (SELECT record FROM ledger.facts WHERE "offset" = 2) WHERE "offset" = 3"#,
            ["C1", "T1", "T2", "B1", "R2"], at: 3),
        Damage(
            "two rows are swapped",
            #"UPDATE ledger.facts SET "offset" = -1 WHERE "offset" = 0; UPDATE ledger.facts SET "offset" = 0 WHERE "offset" = 1; UPDATE ledger.facts SET "offset" = 1 WHERE "offset" = -1"#,
            ["T1", "T2"], at: 0),
        Damage(
            "a hash is changed", #"UPDATE ledger.facts SET hash = sha256('x') WHERE "offset" = 1"#, ["T1"], at: 1),
        Damage(
            "a column is changed, not the record", #"UPDATE ledger.facts SET event_type = 'x' WHERE "offset" = 3"#,
            ["T2"], at: 3),
        Damage(
            "a row is added before all others",
            #"INSERT INTO ledger.facts (partition, "offset", disposition, record, event_id, event_type, order_id, source, occurred_at, stream, stream_sequence, reader, rules, layout, hash) SELECT partition, -5, disposition, record, gen_random_uuid(), event_type, order_id, source, occurred_at, stream, stream_sequence, reader, rules, layout, hash FROM ledger.facts WHERE "offset" = 0"#,
            ["C1", "C3", "T1", "T2", "R2"], at: -5),
        Damage(
            "a row is added behind all others",
            #"INSERT INTO ledger.facts (partition, "offset", disposition, record, event_id, event_type, order_id, source, occurred_at, stream, stream_sequence, reader, rules, layout, hash) SELECT partition, 9223372036854775807, disposition, record, gen_random_uuid(), event_type, order_id, source, occurred_at, stream, stream_sequence, reader, rules, layout, hash FROM ledger.facts WHERE "offset" = 0"#,
            ["C3"], at: .max),
        Damage(
            "a whole partition is removed but its orders",
            "DELETE FROM ledger.facts; DELETE FROM ledger.entries; DELETE FROM ledger.chain_heads; DELETE FROM ledger.inbox_watermarks",
            ["C3", "R2"]),
        Damage(
            "a partition is added by its head alone",
            "INSERT INTO ledger.chain_heads VALUES (99, 0, 0, NULL, decode(repeat('00', 32), 'hex'))", ["C3"]),
        Damage(
            "a payment is added in a partition of its own",
            "INSERT INTO ledger.payments (partition, order_id, payment_id, status, transition, revision, currency, amount) SELECT 99, order_id, payment_id, status, transition, revision, currency, amount FROM ledger.payments LIMIT 1",
            ["C3", "R2"]),
        Damage(
            "a waiting fact is invented",
            #"INSERT INTO ledger.parked_facts SELECT partition, 77, order_id FROM ledger.orders"#, ["R2"]),
        Damage(
            "an order is added that no fact opened",
            "INSERT INTO ledger.orders SELECT partition, gen_random_uuid(), merchant_id, currency, partitions, status, NULL, NULL, NULL FROM ledger.orders",
            ["R2"]),
        Damage(
            "the newest offset of the head is set back", "UPDATE ledger.chain_heads SET last_offset = 1", ["C3"], at: 1),
        Damage(
            "two amounts beyond all sums",
            #"UPDATE ledger.entries SET amount = 9223372036854775807 WHERE amount > 0"#, ["T1", "T2", "B1", "B2"], at: 2
        ),
        Damage(
            "an amount without an opposite",
            #"UPDATE ledger.entries SET amount = -9223372036854775808 WHERE amount < 0"#, ["T1", "T2", "B1", "B2"],
            at: 2),
        Damage(
            "a loss that ends before it begins",
            "ALTER TABLE ledger.inbox_losses DROP CONSTRAINT inbox_losses_check; INSERT INTO ledger.inbox_losses VALUES ('orchard.journal.v1', 0, 5, 1)",
            ["C5", "T3"]),
        Damage(
            "a loss of more offsets than there are",
            "INSERT INTO ledger.inbox_losses VALUES ('orchard.journal.v1', 0, -9223372036854775808, 1)", ["C5"]),
        Damage(
            "a row is marked as a newer program's", #"UPDATE ledger.facts SET rules = 9 WHERE "offset" = 4"#,
            ["T2", "B1", "R2"], at: 4),
        Damage("the head is set back", "UPDATE ledger.chain_heads SET rows = rows - 1", ["C3"]),
        Damage("the head is removed", "DELETE FROM ledger.chain_heads", ["C3", "T1"], at: 4),
        Damage("an order's status is changed", "UPDATE ledger.orders SET status = 'open', paid_payment = NULL", ["R2"]),
        Damage("an order's status alone is changed", "UPDATE ledger.orders SET status = 'open'", ["R2"]),
        Damage("a payment's status is nonsense", "UPDATE ledger.payments SET status = 'x'", ["R2"]),
        Damage(
            "an entry's currency is nonsense", #"UPDATE ledger.entries SET currency = 'XX' WHERE "offset" = 2"#,
            ["T1", "T2", "B1"], at: 2),
        Damage("a payment is removed", "DELETE FROM ledger.payments", ["R2"]),
        Damage("a payment's amount is changed", "UPDATE ledger.payments SET amount = 1", ["R2"]),
        Damage(
            "a card number is stored", "UPDATE ledger.payments SET reason = 'card 6212 3456 7890 1232'", ["P1", "R2"]),
        Damage(
            "entries are left without their record",
            #"INSERT INTO ledger.entries SELECT partition, 99, entry, line, kind, cause, occurred_at, order_id, payment_id, merchant_id, rules, account, currency, amount FROM ledger.entries WHERE "offset" = 2"#,
            ["B2"], at: 99),
    ]

    /// Opened, paid, repriced, and paid a second time: entries at offsets 2 and 4.
    private static func records() throws -> [JournalRecord] {
        let totals = try Shop.totals()
        let facts =
            [History().offer(1, totals)] + History().payment(amount: totals.amount, .accepted, .succeeded)
            + [
                History().offer(2, try Shop.totals(shipping: 900)),
                History().fact(
                    Shop.paymentID(2), transition: 1, revision: 2, amount: try Shop.totals(shipping: 900).amount,
                    .succeeded),
            ]
        return facts.records()
    }

    @Test("Undamaged books have no findings, and every line counts something")
    func clean() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            let report = try await ledger.audit()
            #expect(report.exitStatus == 0, "\(report.text)")
            #expect(report.warnings == 0, "\(report.text)")
            #expect(
                report.checks.map(\.id) == [
                    "S1", "S2", "S3", "C1", "C2", "C3", "C4", "C5", "C6", "T1", "T2", "T3", "T4", "B1", "B2", "B3",
                    "B4", "B5", "R2",
                    "P1", "X1", "X2", "X3",
                ])
            #expect(report.checks.allSatisfy { $0.counts.contains(where: \.isNumber) })
            #expect(report.checks.first { $0.id == "B1" }?.counts == "CNY debit 224.00 = credit 224.00")
        }
    }

    @Test("An empty ledger is clean")
    func empty() async throws {
        try await TestLedger.with { ledger in
            let report = try await ledger.audit()
            #expect(report.exitStatus == 0)
        }
    }

    @Test("A long number in a cluster's name is not reported as a card number")
    func clusterName() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            try await ledger.tamper("UPDATE ledger.inbox_watermarks SET cluster_id = '4111111111111111'")
            let report = try await ledger.audit()
            #expect(report.checks.first { $0.id == "P1" }?.outcome != .failed, "\(report.text)")
        }
    }

    /// Changes to the schema, with the object that the audit must name.
    static let schemaDamages = [
        Damage(
            "a trigger is disabled", "ALTER TABLE ledger.entries DISABLE TRIGGER entries_balance", ["T3"],
            object: "trigger entries_balance on entries was changed: disabled"),
        Damage(
            "a trigger does not fire where a session replicates",
            "ALTER TABLE ledger.facts ENABLE TRIGGER facts_append_only", ["T3"],
            object: "trigger facts_append_only on facts was changed: unless replicating"),
        Damage(
            "a trigger is dropped", "DROP TRIGGER facts_append_only ON ledger.facts", ["T3"],
            object: "trigger facts_append_only on facts is missing"),
        Damage(
            "a trigger does nothing any more",
            "CREATE OR REPLACE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            ["T3"], object: "function refuse_change() was changed"),
        Damage(
            "a trigger is made anew with a condition",
            "DROP TRIGGER entries_append_only ON ledger.entries; CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.entries FOR EACH STATEMENT WHEN (current_user <> 'mallory') EXECUTE FUNCTION ledger.refuse_change()",
            ["T3"], object: "trigger entries_append_only on entries was changed"),
        Damage(
            "a trigger is added that changes what is written",
            "CREATE FUNCTION ledger.halve() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.amount := NEW.amount / 2; RETURN NEW; END'; CREATE TRIGGER halve BEFORE INSERT ON ledger.order_offers FOR EACH ROW EXECUTE FUNCTION ledger.halve()",
            ["T3"], object: "trigger halve on order_offers is not the migrations'"),
        Damage(
            "a rule discards what is written",
            "CREATE RULE swallow AS ON INSERT TO ledger.faults DO INSTEAD NOTHING", ["T3"],
            object: "rule swallow on faults is not the migrations'"),
        Damage(
            "a constraint is dropped", "ALTER TABLE ledger.entries DROP CONSTRAINT entries_amount_check", ["T3"],
            object: "constraint entries_amount_check on entries is missing"),
        Damage(
            "a key is dropped", "ALTER TABLE ledger.facts DROP CONSTRAINT facts_pkey", ["T3"],
            object: "index facts_pkey on facts is missing"),
        Damage(
            "a unique index is made a plain one",
            "DROP INDEX ledger.facts_event; CREATE INDEX facts_event ON ledger.facts (partition, order_id, event_id) WHERE disposition IN ('applied', 'parked')",
            ["T3"], object: "index facts_event on facts was changed"),
        Damage(
            "a column may be null", "ALTER TABLE ledger.facts ALTER COLUMN reader DROP NOT NULL", ["T3"],
            object: "column facts.reader was changed: smallint, not smallint not null"),
        Damage(
            "a default is set", "ALTER TABLE ledger.entries ALTER COLUMN rules SET DEFAULT 1", ["T3"],
            object: "column entries.rules was changed"),
        Damage(
            "rows are hidden", "ALTER TABLE ledger.entries ENABLE ROW LEVEL SECURITY", ["T1", "T2", "T3", "B1"],
            object: "table entries was changed"),
        Damage(
            "a table is added", "CREATE TABLE ledger.more (a integer)", ["T3"],
            object: "table more is not the migrations'"),
        Damage(
            "a role is let in to one column", "GRANT UPDATE (amount) ON ledger.entries TO PUBLIC", ["T3"],
            object: "rights of PUBLIC on entries.amount is not the migrations': UPDATE"),
        Damage(
            "a role may add rows", "GRANT INSERT ON ledger.facts TO PUBLIC", ["T3"],
            object: "rights of PUBLIC on facts is not the migrations': INSERT"),
        Damage(
            "the service's role may do more", "GRANT UPDATE ON ledger.entries TO ledger_service", ["T3"],
            object: "rights of ledger_service on entries was changed: INSERT, SELECT, UPDATE"),
        Damage(
            "a table of somebody with a quotation mark in its name, and in its column's",
            #"CREATE TABLE ledger."x""y" ("a""b" text); INSERT INTO ledger."x""y" VALUES ('-')"#, ["T3"], object: "x\"y"
        ),
        Damage(
            "a table is another role's", "ALTER TABLE ledger.facts OWNER TO ledger_service", ["T3"],
            object: "table facts was changed: of ledger_service"),
    ]

    @Test("A change of the schema is found, and its object named", arguments: schemaDamages)
    func schemaDamage(_ damage: Damage) async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            try await ledger.owner.script(damage.sql)
            let report = try await ledger.audit()
            #expect(Set(report.checks.filter { $0.outcome == .failed }.map(\.id)) == damage.checks, "\(report.text)")
            let object = try #require(damage.object)
            #expect(report.text.contains(object), "\(report.text)")
        }
    }

    @Test("A watermark's texts of combining marks do not end the audit: each start of the service compares them")
    func watermark() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            for column in ["cluster_id", "timeline", "objects"] {
                try await ledger.tamper(
                    "UPDATE ledger.inbox_watermarks SET \(column) = repeat(U&'\\0300\\0316', 50000)")
                let report = try await ledger.audit()
                #expect(report.exitStatus == 0, "\(report.text)")
            }
        }
    }

    @Test("Additional rights to read are not a finding")
    func readingRole() async throws {
        try await TestLedger.with { ledger in
            try await ledger.owner.script("GRANT SELECT ON ledger.entries TO PUBLIC")
            let report = try await ledger.audit()
            #expect(report.exitStatus == 0, "\(report.text)")
        }
    }

    @Test("Damage is found by the expected checks, at its place", arguments: damages)
    func damage(_ damage: Damage) async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            try await ledger.tamper(damage.sql)
            let report = try await ledger.audit()
            #expect(report.exitStatus == 1)
            #expect(Set(report.checks.filter { $0.outcome == .failed }.map(\.id)) == damage.checks, "\(report.text)")
            if let offset = damage.offset {
                let named = report.checks.flatMap(\.findings).compactMap(\.position)
                #expect(named.contains(JournalPosition(partition: Shop.partition, offset: offset)), "\(report.text)")
            }
        }
    }

    @Test("A record that is read the same and differs by one byte is found by the chain alone")
    func oneByte() async throws {
        try await TestLedger.with { ledger in
            let records = try Self.records()
            try await ledger.fold(records: records)
            let record = JournalRecord(
                position: records[3].position, key: records[3].key, headers: records[3].headers,
                value: records[3].value + [0x20])
            try await ledger.tamper(
                #"UPDATE ledger.facts SET record = '\x\#(Hex.encode(try #require(record.packed)))' WHERE "offset" = 3"#)
            let report = try await ledger.audit()
            #expect(report.checks.filter { $0.outcome == .failed }.map(\.id) == ["T1"], "\(report.text)")
            #expect(
                report.checks.flatMap(\.findings).compactMap(\.position).contains(records[3].position),
                "\(report.text)")
        }
    }

    @Test("A rewrite of the whole chain is found because the records give other entries when folded again")
    func rewritten() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            try await ledger.tamper(
                #"UPDATE ledger.entries SET amount = amount + sign(amount) WHERE "offset" = 2 AND account IN ('assets:acquirer-receivable', 'income:sales')"#
            )
            // The tamperer knows the code and links every row again.
            var chain = HashChain()
            let page = try await LedgerReader(connection: ledger.owner).page(Shop.partition, .min ... .max)
            for row in page.rows {
                let hash = chain.append(RowLayout.v1.bytes(try #require(row.content)))
                try await ledger.tamper(
                    #"UPDATE ledger.facts SET hash = '\x\#(Hex.encode(hash))' WHERE "offset" = \#(row.position.offset)"#
                )
            }
            try await ledger.tamper(#"UPDATE ledger.chain_heads SET head = '\x\#(Hex.encode(chain.head))'"#)
            let report = try await ledger.audit()
            #expect(report.checks.filter { $0.outcome == .failed }.map(\.id) == ["T2", "B1"], "\(report.text)")
        }
    }
}
