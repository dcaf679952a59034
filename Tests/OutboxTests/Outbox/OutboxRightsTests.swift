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
            testDescription: "take a number back", sql: "UPDATE shop.outbox_streams SET last_sequence = 0",
            refusal: "never given again"),
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

    private func row(_ id: String) -> OutboxRow {
        OutboxRow(partition: 0, topic: "facts", eventID: id, key: [], headers: [], value: [1])
    }
}
