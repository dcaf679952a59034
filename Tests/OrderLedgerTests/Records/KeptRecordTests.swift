import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger

@Suite("Records in the books", .timeLimit(.minutes(10)))
struct KeptRecordTests {
    private static func records() throws -> [JournalRecord] {
        let history = History()
        let totals = try Shop.totals()
        return
            ([history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded)
            + history.followUps(.refund, amount: Money(minorUnits: 1_090, currency: .cny), .accepted, .succeeded))
            .records()
    }

    @Test("of before they were packed are read as ever, beside packed ones")
    func older() async throws {
        try await TestLedger.with { ledger in
            let records = try Self.records()
            try await ledger.fold(records: Array(records[..<3]))
            try await ledger.unpack(upTo: 2)
            // The first ones come once more, as known duplicates, with what follows them.
            let again = records.enumerated().map { index, record in
                JournalRecord(
                    position: JournalPosition(partition: Shop.partition, offset: Int64(index) + 3), key: record.key,
                    headers: record.headers, value: record.value)
            }
            try await ledger.fold(records: again)
            let kept = try await ledger.owner.query(
                "SELECT count(*) AS rows, count(record) AS packed, count(value) AS older FROM ledger.facts")
            #expect(try (kept[0].int("rows"), kept[0].int("packed"), kept[0].int("older")) == (5, 2, 3))
            let report = try await ledger.audit()
            #expect(report.errors == 0, "\(report.text)")
        }
    }

    @Test(
        "are searched for card numbers, packed or not",
        arguments: [(-1, "facts.record"), (9, "facts.value")] as [(Int64, String)])
    func cardNumbers(unpacked: Int64, place: String) async throws {
        try await TestLedger.with { ledger in
            let secret = Array(#"{"note":"6212 3456 7890 1232"}"#.utf8)
            try await ledger.fold(
                records: [
                    JournalRecord(
                        position: JournalPosition(partition: Shop.partition, offset: 0), key: nil, headers: [],
                        value: secret)
                ])
            try await ledger.unpack(upTo: unpacked)
            let report = try await ledger.audit()
            let findings = report.checks.first { $0.id == "P1" }?.findings.map(\.text) ?? []
            #expect(findings == ["1 in \(place)"], "\(report.text)")
        }
    }

    @Test("are shown by place and by order, and those that cannot be read without their content")
    func shown() async throws {
        try await TestLedger.with { ledger in
            let records = try Self.records()
            let rubbish = JournalRecord(
                position: JournalPosition(partition: Shop.partition, offset: 5), key: nil, headers: [],
                value: Array("6212345678901232".utf8))
            try await ledger.fold(records: records + [rubbish])
            func shown(_ arguments: String...) async throws -> (status: Int32, output: String) {
                let process = try TestProcess(
                    "order-ledger", ["records"] + arguments, ["POSTGRES_URL": ledger.service.connectionString])
                return (try await process.status(), process.log)
            }
            let one = try await shown("P\(Shop.partition)@2")
            #expect(one.status == 0)
            #expect(one.output.hasPrefix(#"{"disposition":"applied","headers":["ce_specversion: 1.0","ce_id: "#))
            let end = #""isWhole":true,"place":"P\#(Shop.partition)@2","value":{"amount":{"currency":"CNY""#
            #expect(one.output.contains(end), "\(one.output)")
            let order = try await shown("--order", "\(History().order)")
            #expect(order.status == 0 && order.output.split(separator: "\n").count == 5)
            let unreadable = try await shown("P\(Shop.partition)@5")
            #expect(
                unreadable.output == """
                    {"disposition":"unreadable","isWhole":true,"place":"P\(Shop.partition)@5","valueBytes":16}

                    """)
            let missing = try await shown("P\(Shop.partition)@6")
            #expect(missing.status == 1 && missing.output.contains("the books have no record at P\(Shop.partition)@6"))
            let stranger = try await shown("--order", "\(Shop.orderID(99))")
            #expect(stranger.status == 1)
            #expect(stranger.output.contains("the books have no record of the order \(Shop.orderID(99))"))
            #expect(try await shown().status == 2)
            #expect(try await shown("--order", "1").output.contains("32 hexadecimal digits"))
        }
    }

    @Test("are shown without what may be a card number, and although a row among them was changed")
    func hidden() async throws {
        try await TestLedger.with { ledger in
            var records = try Self.records()
            let secret = JournalRecord.Header(name: "x-note", value: Array("6212345678901232".utf8))
            records[1] = JournalRecord(
                position: records[1].position, key: records[1].key, headers: records[1].headers + [secret],
                value: records[1].value)
            try await ledger.fold(records: records)
            try await ledger.tamper(#"UPDATE ledger.facts SET record = record || ' ' WHERE "offset" = 2"#)
            let process = try TestProcess(
                "order-ledger", ["records", "--order", "\(History().order)"],
                ["POSTGRES_URL": ledger.service.connectionString])
            #expect(try await process.status() == 1)
            #expect(!process.log.contains("6212345678901232"))
            let place = "P\(Shop.partition)@"
            #expect(
                process.log.contains(#"{"disposition":"applied","isWhole":true,"place":"\#(place)1","valueBytes":"#))
            #expect(process.log.contains(#"{"disposition":"applied","isWhole":false,"place":"\#(place)2"}"#))
            #expect(process.log.contains(#""place":"\#(place)3","value":{"#), "\(process.log)")
            #expect(process.log.contains("the row of a record was changed (\"isWhole\":false); run order-ledger audit"))
        }
    }

    @Test("that are longer than what is packed are kept as they came")
    func long() async throws {
        try await TestLedger.with { ledger in
            let long = JournalRecord(
                position: JournalPosition(partition: Shop.partition, offset: 0), key: [1],
                headers: [.init(name: "a", value: [2])], value: [UInt8](repeating: 7, count: 100_000))
            try await ledger.fold(records: [long])
            let kept = try await ledger.owner.query(
                "SELECT count(*) AS n FROM ledger.facts WHERE record IS NULL AND length(value) = 100000")
            #expect(try kept[0].int("n") == 1)
            let page = try await LedgerReader(connection: ledger.owner).page(Shop.partition, .min ... .max)
            #expect(page.rows.map(\.record) == [long])
        }
    }

    @Test("are packed or as they came, never both and never neither: the database refuses it")
    func constraint() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            for change in ["record = NULL", "value = ''", "headers = ''", "key = ''"] {
                let error = await #expect(throws: PostgresError.self) {
                    try await ledger.tamper("UPDATE ledger.facts SET \(change)")
                }
                #expect(error?.sqlState == "23514")
            }
        }
    }
}
