import Contracts
import OrchardPostgres
import Testing

@testable import Outbox

@Suite("Points in time and counters in PostgreSQL")
struct DamagedRowTests {
    @Test("are read to the microsecond; what no calendar holds is damage")
    func range() async throws {
        try await ServiceDatabase.with { database in
            let connection = try await database.connect()
            let row = try await connection.query(
                """
                SELECT '2026-11-26 15:00:00.000001+00'::timestamptz AS usual, NULL::timestamptz AS none,
                    '294247-01-10 03:30:00+00'::timestamptz AS last, '10000-01-02 00:00:00+00'::timestamptz AS late,
                    '0002-12-30 23:59:59+00 BC'::timestamptz AS early, 'infinity'::timestamptz AS infinite
                """)[0]
            #expect(try row.time("usual") == Timestamp(microseconds: 1_795_705_200_000_001))
            #expect(try row.optionalTime("none") == nil)
            for column in ["last", "late", "early", "infinite"] {
                #expect(throws: (any Error).self) { try row.time(column) }
                #expect(throws: (any Error).self) { try row.optionalTime(column) }
            }
            await connection.close()
        }
    }

    @Test(
        "are read again whatever was taken from outside",
        arguments: [
            "0000-01-01T00:00:00+23:59", "0001-01-01T00:00:00Z", "1899-12-31T23:59:59Z", "9999-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999-23:59",
        ])
    func outside(_ text: String) async throws {
        let time = try #require(Timestamp(rfc3339: text))
        try await ServiceDatabase.with { database in
            let connection = try await database.connect()
            let rows = try await connection.query("SELECT $1::timestamptz AS time", [time.postgres])
            #expect(try rows[0].time("time") == time)
            await connection.close()
        }
    }

    @Test("Counters and hashes that are damaged are refused, so that they end no program")
    func count() async throws {
        try await ServiceDatabase.with { database in
            let connection = try await database.connect()
            let row = try await connection.query(
                """
                SELECT 7::bigint AS usual, -1::bigint AS negative, 9223372036854775807 AS last, 2147483647 AS narrow,
                    sha256('x') AS hash, '\\x00'::bytea AS byte
                """)[0]
            #expect(try row.count("usual") == 7)
            #expect(throws: StoreError.self) { try row.count("negative") }
            #expect(throws: StoreError.self) { try row.count("last") }
            #expect(throws: StoreError.self) { try row.count("narrow", below: 1 << 30) }
            #expect(try row.digest("hash").count == 32)
            #expect(throws: StoreError.self) { try row.digest("byte") }
            await connection.close()
        }
    }
}
