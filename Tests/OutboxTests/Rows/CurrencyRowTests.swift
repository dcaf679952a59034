import Contracts
import OrchardPostgres
import Testing

@testable import Outbox

@Suite("Currencies in PostgreSQL")
struct CurrencyRowTests {
    @Test("are read byte by byte: a text that only Swift takes for the same code is damage")
    func codes() async throws {
        try await ServiceDatabase.with { database in
            let connection = try await database.connect()
            let row = try await connection.query(
                "SELECT 'HKD' AS code, 'H' || chr(8490) || 'D' AS kelvin, 'X' AS none")[0]
            #expect(try row.currency("code") == Currency("HKD"))
            #expect(try row.string("kelvin") == "HKD", "they are canonically equivalent")
            for column in ["kelvin", "none"] {
                #expect(throws: StoreError.self) { try row.currency(column) }
            }
            await connection.close()
        }
    }
}
