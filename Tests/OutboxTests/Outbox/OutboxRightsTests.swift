import KafkaBridge
import OrchardPostgres
import Testing

@testable import Outbox

@Suite("What the service's role may do with its outbox", .timeLimit(.minutes(4)))
struct OutboxRightsTests {
    struct Deed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String
        let refusal: String
    }

    @Test(arguments: [
        Deed(testDescription: "delete an event", sql: "DELETE FROM shop.outbox", refusal: "permission denied"),
        Deed(
            testDescription: "change an event", sql: "UPDATE shop.outbox SET value = ''", refusal: "permission denied"),
        Deed(testDescription: "empty the table", sql: "TRUNCATE shop.outbox", refusal: "permission denied"),
        Deed(
            testDescription: "invent a batch",
            sql: "INSERT INTO shop.outbox_batches VALUES (0, 'facts', 1, '{a}', pg_current_xact_id())",
            refusal: "permission denied"),
        Deed(testDescription: "remove a batch", sql: "DELETE FROM shop.outbox_batches", refusal: "permission denied"),
        Deed(
            testDescription: "number and remove in one transaction",
            sql: "BEGIN; SELECT shop.outbox_number(0, 'facts', 9); SELECT shop.outbox_settle(0, 'facts', 2, 7); COMMIT",
            refusal: "numbers are committed before their events are sent"),
        Deed(
            testDescription: "reduce a number", sql: "UPDATE shop.outbox_streams SET last_sequence = 0",
            refusal: "permission denied"),
        Deed(
            testDescription: "invent a number", sql: "INSERT INTO shop.outbox_streams VALUES (1, 'facts', 7)",
            refusal: "permission denied"),
        Deed(
            testDescription: "remove the log's last events under numbers that were given",
            sql: "SELECT shop.outbox_recover(0, 'facts', '{untold}', 1, 0)",
            refusal: "under numbers that were given here"),
        Deed(
            testDescription: "remove the numbers", sql: "DELETE FROM shop.outbox_streams", refusal: "permission denied"),
    ])
    func isRefused(_ deed: Deed) async throws {
        try await ServiceDatabase.with { database in
            let service = try await database.connect()
            let outbox = Outbox(schema: "shop", stream: "shop")
            try await outbox.insert([row("told")], on: service)
            let session = RelaySession(outbox: outbox, connection: service)
            let batch = try #require(try await session.number(.init("facts", 0), limit: 10))
            _ = try await session.settle(batch, of: .init("facts", 0), acknowledged: 0, thenNumber: 10)
            try await outbox.insert([row("untold")], on: service)
            let error = await #expect(throws: PostgresError.self) { try await service.script(deed.sql) }
            #expect(error?.reason.contains(deed.refusal) == true, "\(String(describing: error))")
            await service.close()
            let owner = try await PostgresConnection.connect(database.owner)
            let rows = try await owner.query("SELECT event_id FROM shop.outbox")
            #expect(try rows.map { try $0.string("event_id") } == ["untold"])
            await owner.close()
        }
    }

    @Test func `not even the owner gives a number twice`() async throws {
        try await ServiceDatabase.with { database in
            let owner = try await PostgresConnection.connect(database.owner)
            try await owner.script("INSERT INTO shop.outbox_streams VALUES (0, 'facts', 7)")
            for sql in [
                "UPDATE shop.outbox_streams SET last_sequence = 6", "UPDATE shop.outbox_streams SET partition = 1",
                "SET session_replication_role = replica; UPDATE shop.outbox_streams SET topic = 'other'",
            ] {
                let error = await #expect(throws: PostgresError.self) { try await owner.script(sql) }
                #expect(error?.reason.contains("never given again") == true, "\(sql)")
            }
            await owner.close()
        }
    }

    @Test(arguments: [
        "DELETE FROM shop.inbox_watermarks", "TRUNCATE shop.inbox_watermarks",
        "UPDATE shop.inbox_watermarks SET partition = 1", "UPDATE shop.inbox_watermarks SET topic = 'other'",
        "UPDATE shop.inbox_losses SET end_offset = 9", "DELETE FROM shop.inbox_losses",
        "UPDATE shop.inbox_recoveries SET mark = 0", "DELETE FROM shop.inbox_recoveries",
        "DELETE FROM shop.schema_migrations", "CREATE TABLE shop.mine (n integer)",
    ])
    func `is refused at the inbox`(_ sql: String) async throws {
        try await ServiceDatabase.with { database in
            let service = try await database.connect()
            let error = await #expect(throws: PostgresError.self) { try await service.script(sql) }
            #expect(error?.sqlState == "42501")
            await service.close()
        }
    }

    private func row(_ id: String) -> OutboxRow {
        OutboxRow(partition: 0, topic: "facts", eventID: id, key: [], headers: [], value: [1])
    }
}
