import Contracts
import OrchardPostgres
import Testing

@testable import Outbox

@Suite("Identifiers in PostgreSQL")
struct IdentifierRowTests {
    private static let identifiers = [
        "0198f3a2b4c57d6e8f901a2b3c4d5e6f", "00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff",
    ]

    @Test("are uuids: they are read back unchanged, alone and in arrays, and have the same order")
    func roundTrip() async throws {
        try await ServiceDatabase.with { database in
            let connection = try await database.connect()
            let orders = try Self.identifiers.map { try #require(OrderID($0)) }
            for order in orders {
                let row = try await connection.query("SELECT $1 AS id, replace($1::text, '-', '') AS digits", [order])[
                    0]
                #expect(try row.identifier("id") == order && row.string("digits") == order.description)
            }
            let rows = try await connection.query(
                "SELECT id FROM unnest($1) AS id ORDER BY id NULLS FIRST", [orders + [OrderID?.none]])
            #expect(try rows.map { try $0.optionalIdentifier("id") } == [nil] + orders.sorted())
            await connection.close()
        }
    }

    @Test("are not read from a column of another type or from NULL")
    func others() async throws {
        try await ServiceDatabase.with { database in
            let connection = try await database.connect()
            let row = try await connection.query(
                "SELECT '0198f3a2b4c57d6e8f901a2b3c4d5e6f' AS text, repeat('x', 16) AS short, NULL::uuid AS nothing")[0]
            for column in ["text", "short", "nothing"] {
                #expect(throws: PostgresError.self) { try row.identifier(column) as OrderID }
            }
            await connection.close()
        }
    }
}
