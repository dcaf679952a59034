import Contracts
import OrchardPostgres
import Testing

@testable import Outbox

@Suite("Points in time in PostgreSQL")
struct TimeRowTests {
    @Test("are read to the microsecond; what no calendar holds is damage")
    func range() async throws {
        try await ServiceDatabase.with { database in
            let connection = try await database.connect()
            let row = try await connection.query(
                """
                SELECT '2026-11-26 15:00:00.000001+00'::timestamptz AS usual, NULL::timestamptz AS none,
                    '294247-01-10 03:30:00+00'::timestamptz AS last, '9999-01-01 00:00:00+00'::timestamptz AS late,
                    '1899-12-31 23:59:59+00'::timestamptz AS early, 'infinity'::timestamptz AS infinite
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
}
