import OrchardPostgres
import Testing

@testable import ChargeGateway

/// A database refuses a program whose migrations differ from those that made it. So the text of a migration that was
/// once run is never changed, nor what it is put together from: a new one is added.
@Suite struct MigrationTextTests {
    @Test func noMigrationThatWasRunHasChanged() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let rows = try await gateway.owner.query(
                "SELECT left(encode(checksum, 'hex'), 12) AS sum FROM gateway.schema_migrations ORDER BY number")
            let sums = try rows.map { try $0.string("sum") }
            #expect(sums == Self.sums, "a new migration adds its sum here")
        }
    }

    private static let sums = [
        "02beded1d4b3",
        "fe04c2966d4d",
        "41eb16da2a6f",
        "aca5bd54af39",
        "3df5ffbb2931",
        "57247fad2000",
        "6f001ac30745",
        "d5b8d91ae191",
        "007dd9ec023f",
    ]
}
