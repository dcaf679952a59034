import OrchardPostgres
import Testing

@Suite("The columns of a row", .timeLimit(.minutes(4)))
struct ColumnTests {
    @Test("are found by name in whatever order they are read, row after row")
    func anyOrder() async throws {
        try await withConnection { connection in
            let rows = try await connection.query(
                "SELECT n AS a, n * 10 AS b, n * 100 AS c FROM generate_series(1, 3) AS n")
            for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "b", "c", "a", "c"]] {
                for (index, row) in rows.enumerated() {
                    let number = Int64(index + 1)
                    let values = ["a": number, "b": number * 10, "c": number * 100]
                    for name in order { #expect(try row.int64(name) == values[name]) }
                }
            }
        }
    }

    @Test("of one name twice: the first is read, also behind the column before the second")
    func oneNameTwice() async throws {
        try await withConnection { connection in
            let row = try #require(try await connection.query("SELECT 1 AS a, 2 AS b, 3 AS a").first)
            #expect(try row.int64("b") == 2)
            #expect(try row.int64("a") == 1)
        }
    }

    @Test("that are not there are an error")
    func missing() async throws {
        try await withConnection { connection in
            let row = try #require(try await connection.query("SELECT 1 AS a").first)
            #expect(throws: PostgresError.self) { try row.int64("b") }
            #expect(throws: PostgresError.self) { try row.int64("") }
        }
    }

    @Test("lend the bytes of a text or of bytes, and nothing else")
    func bytes() async throws {
        try await withConnection { connection in
            let row = try #require(
                try await connection.query(#"SELECT 'né' AS a, '\x00ff'::bytea AS b, NULL::text AS c, 1 AS d"#).first)
            #expect(try row.withBytes(at: 0) { $0.count } == 3)
            #expect(try row.withBytes("b") { [$0[0], $0[1]] } == [0, 255])
            #expect(try row.withBytes("c") { $0.count } == nil)
            #expect(throws: PostgresError.self) { try row.withBytes("d") { $0.count } }
        }
    }
}
