import OrchardPostgres
import Testing

@testable import OrderLedger

/// A database refuses a program whose migrations differ from those that made it. So the text of a migration that was
/// once run is never changed, nor what it is put together from: a new one is added.
@Suite struct MigrationTextTests {
    @Test func noMigrationThatWasRunHasChanged() async throws {
        try await TestLedger.with { ledger in
            let rows = try await ledger.owner.query(
                "SELECT left(encode(checksum, 'hex'), 12) AS sum FROM ledger.schema_migrations ORDER BY number")
            let sums = try rows.map { try $0.string("sum") }
            #expect(sums == Self.sums, "a new migration adds its sum here")
        }
    }

    private static let sums = [
        "b0a92afe0869",
        "e0a405374085",
        "cd119e393dda",
        "03f0c16a72df",
        "688cebe626f8",
        "47abad6a8d4c",
        "0afc57cdc381",
        "2f63bd8648f5",
        "659b1cc441c6",
        "3f9cd0ccdfc9",
        "c7db7e3c2590",
        "f38e23f49228",
        "0e5b188b1531",
        "9477c1b40fa1",
        "f56a642f3f5e",
        "eacdd2a8fa2f",
    ]
}
