import OrchardPostgres
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("The gateway's migrations", .timeLimit(.minutes(10)))
struct MigrationTests {
    @Test("find the index of a large table that an operator has built before, while the service ran")
    func indexBuiltBefore() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try await gateway.owner.script(
                """
                DROP TABLE gateway.settlement_files, gateway.settlement_rows, gateway.settlement_refusals;
                DROP INDEX gateway.follow_ups_account_time, gateway.operations_account_time;
                ALTER TABLE gateway.operations DROP COLUMN accepted_at;
                ALTER TABLE gateway.follow_ups DROP COLUMN accepted_at;
                DELETE FROM gateway.schema_migrations WHERE number >= 8;
                """)
            try await gateway.owner.execute(
                """
                CREATE INDEX CONCURRENTLY operations_account_time
                    ON gateway.operations (acquirer, account, transaction_time)
                """)
            #expect(try await GatewaySchema.migrator.migrate(gateway.owner) == ["0008_settlement", "0009_accepted_at"])
        }
    }
}
