import OrchardPostgres
import TestSupport
import Testing

@Suite("Parameters travel in binary and come back as they were", .timeLimit(.minutes(4)))
struct ParameterTests {
    @Test(arguments: [Int64.min, -1, 0, 1, 9_999, 10_000, 100_000_000, .max])
    func wholeNumbers(_ number: Int64) async throws {
        let row = try await row("SELECT $1 AS value, $1::numeric AS exact, sum($1) AS total", [number])
        #expect(try row.int64("value") == number)
        #expect(try row.int64("exact") == number)
        #expect(try row.int64("total") == number)
    }

    @Test(arguments: ["1.5", "0.0001", "9223372036854775808", "-9223372036854775809", "NaN", "1e40"])
    func numbersThatAreNotWhole(_ text: String) async throws {
        let row = try await row("SELECT ($1)::numeric AS value", [text])
        #expect(throws: PostgresError.self) { try row.int64("value") }
    }

    @Test(arguments: ["", "12.34", "Größe 大きさ 👩‍👩‍👧", "'; DROP TABLE orders; --", "\\ \" $1"])
    func texts(_ text: String) async throws {
        let row = try await row("SELECT $1 AS value, length($1) AS length", [text])
        #expect(try row.string("value") == text)
        #expect(try row.int("length") == text.unicodeScalars.count)
    }

    @Test func bytesBooleansDoublesAndTimes() async throws {
        let bytes = [UInt8](0...255)
        let row = try await row(
            "SELECT $1 AS bytes, $2 AS yes, $3 AS half, $4 AS time, $4 = '2026-11-21T14:00:00.000001Z' AS same",
            [bytes, true, 0.5, PostgresTimestamp(microseconds: 1_795_269_600_000_001)])
        #expect(try row.bytes("bytes") == bytes)
        #expect(try row.bool("yes"))
        #expect(try row.double("half") == 0.5)
        #expect(try row.timestamp("time") == PostgresTimestamp(microseconds: 1_795_269_600_000_001))
        #expect(try row.bool("same"))
    }

    @Test func nullsOfEveryType() async throws {
        let row = try await row(
            "SELECT $1 AS a, $2 AS b, $3 AS c",
            [Int64?.none, String?.none, [UInt8]?.none])
        #expect(try row.optionalInt64("a") == nil)
        #expect(try row.optionalString("b") == nil)
        #expect(try row.optionalBytes("c") == nil)
        #expect(throws: PostgresError.self) { try row.int64("a") }
    }

    @Test func arraysUnnestToRows() async throws {
        let rows = try await withConnection { connection in
            try await connection.query(
                """
                SELECT n, s, t, b, f FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS u(n, s, t, b, f, i) ORDER BY i
                """,
                [
                    [Int64.max, -1, 0], [Int16(1), nil, 3], ["a", nil, ""], [[UInt8](), [0, 255], [1]],
                    [true, false, nil],
                ])
        }
        #expect(try rows.map { try $0.int64("n") } == [.max, -1, 0])
        #expect(try rows.map { try $0.optionalInt32("s") } == [1, nil, 3])
        #expect(try rows.map { try $0.optionalString("t") } == ["a", nil, ""])
        #expect(try rows.map { try $0.bytes("b") } == [[], [0, 255], [1]])
        #expect(try rows.map { try $0.optionalBool("f") } == [true, false, nil])
    }

    @Test func emptyArraysAreArraysToo() async throws {
        let row = try await row(
            "SELECT cardinality($1) AS a, cardinality($2) AS b, (SELECT count(*) FROM unnest($1)) AS c",
            [[Int64](), [String]()])
        #expect(try row.int("a") == 0)
        #expect(try row.int("b") == 0)
        #expect(try row.int("c") == 0)
    }

    @Test func aWrongTypeOrNameIsAnErrorNotADefault() async throws {
        let row = try await row("SELECT 'seven' AS word, 7000000000 AS big", [])
        #expect(throws: PostgresError.self) { try row.int64("word") }
        #expect(throws: PostgresError.self) { try row.string("big") }
        #expect(throws: PostgresError.self) { try row.int32("big") }
        #expect(throws: PostgresError.self) { try row.int64("absent") }
    }

    private func row(_ sql: String, _ parameters: [any PostgresEncodable]) async throws -> PostgresRow {
        let server = try TestServers.postgres()
        let connection = try await PostgresConnection.connect(server)
        let row = try #require(try await connection.query(sql, parameters).first)
        await connection.close()
        return row
    }
}
