import OrchardServiceKit
import TestSupport
import Testing

@testable import OrchardPostgres

@Suite("A write that is taken back", .timeLimit(.minutes(4)))
struct WriteCheckTests {
    @Test("is not ready before the first write, ready after it, and not ready with words when it takes no writes")
    func readOnly() async throws {
        try await TestDatabase.with { database in
            let readiness = Readiness()
            let pool = PostgresPool(database.configuration, logger: Logger(label: "test"), readiness: readiness)
            let owner = try await PostgresConnection.connect(database.configuration)
            try await owner.execute("CREATE TABLE probe (id integer)")
            let check = PostgresWriteCheck(
                PostgresStatement("INSERT INTO probe VALUES (1)"), on: pool, readiness: readiness)
            var component: ReadinessReport.Component? { readiness.report.components["postgres writes"] }
            #expect(component?.isReady == false)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await pool.run() }
                await check.check()
                #expect(component?.isReady == true, "\(component?.reason ?? "")")
                #expect(try await owner.query("SELECT 1 FROM probe").isEmpty, "nothing stays")
                try await pool.withConnection { connection in
                    try await connection.execute(
                        "ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
                }
                let readOnlyPool = PostgresPool(
                    database.configuration, logger: Logger(label: "test"), readiness: Readiness())
                group.addTask { try? await readOnlyPool.run() }
                let readOnly = PostgresWriteCheck(
                    PostgresStatement("INSERT INTO probe VALUES (1)"), on: readOnlyPool, readiness: readiness)
                await readOnly.check()
                #expect(component?.isReady == false)
                #expect(
                    component?.reason.contains("takes no writes") == true && component?.reason.contains("25006") == true
                )
                group.cancelAll()
            }
            await owner.close()
        }
    }
}
