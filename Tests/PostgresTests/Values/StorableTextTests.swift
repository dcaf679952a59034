import OrchardPostgres
import TestSupport
import Testing

@Suite("A text that PostgreSQL cannot store", .timeLimit(.minutes(2)))
struct StorableTextTests {
    @Test("is refused with words before anything is sent, and the connection and its transaction go on")
    func refused() async throws {
        try await TestDatabase.with { database in
            let connection = try await PostgresConnection.connect(database.configuration)
            let texts: [any PostgresEncodable] = [
                "a\u{0}b", Optional("\u{0}"), ["a", "b\u{0}"], [nil, "\u{0}"] as [String?],
            ]
            try await connection.transaction { connection in
                for text in texts {
                    let error = await #expect(throws: PostgresError.self) {
                        try await connection.pipeline([
                            PostgresStatement("SELECT 1"), PostgresStatement("SELECT $1", [text]),
                        ])
                    }
                    #expect(error?.code == .value)
                    #expect(error?.reason.contains("U+0000") == true)
                    #expect(error?.sqlState == nil, "the server was not asked")
                }
                let rows = try await connection.query("SELECT $1::text AS word", ["a\u{1}b"])
                #expect(try rows[0].string("word") == "a\u{1}b")
            }
            await connection.close()
        }
    }
}
