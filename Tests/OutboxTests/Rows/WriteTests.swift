import OrchardPostgres
import Testing

@testable import Outbox

@Suite("Writes that end a transaction", .timeLimit(.minutes(4)))
struct WriteTests {
    private func insertion(_ partition: Int32, rows: Int) -> Write {
        Write(
            "INSERT INTO shop.outbox (partition, event_id, topic, key, headers, value) VALUES ($1, 'a', 'facts', '', '', '')",
            [partition], rows: rows)
    }

    @Test func areCommittedTogether() async throws {
        try await ServiceDatabase.with { database in
            let service = try await database.connect()
            try await service.transaction { connection in
                try await Write.commit([insertion(0, rows: 1), insertion(1, rows: 1)], in: "shop", on: connection)
            }
            #expect(try await service.query("SELECT 1 FROM shop.outbox").count == 2)
            await service.close()
        }
    }

    @Test(arguments: [0, 2])
    func areNotCommittedWhenOneOfThemWritesARowMoreOrLess(_ rows: Int) async throws {
        try await ServiceDatabase.with { database in
            let service = try await database.connect()
            let error = await #expect(throws: PostgresError.self) {
                try await service.transaction { connection in
                    try await Write.commit(
                        [insertion(0, rows: 1), insertion(1, rows: rows), insertion(2, rows: 1)], in: "shop",
                        on: connection)
                }
            }
            #expect(
                error?.reason.contains("1 rows were written instead of \(rows)") == true, "\(String(describing: error))"
            )
            #expect(error?.isTransient == false)
            #expect(try await service.query("SELECT 1 FROM shop.outbox").isEmpty)
            await service.close()
        }
    }
}
