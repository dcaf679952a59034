import Contracts
import OrchardPostgres
import OrchardServiceKit

/// Checks database, keys and routes before the gateway reads or sends anything.
struct StartupChecks: Sendable {
    let pool: PostgresPool
    let requiredKeys: RequiredSealingKeys
    let merchants: @Sendable () -> MerchantRegistry
    let readiness: Readiness
    let logger: Logger

    private static let component = "startup"

    /// Waits for the database and checks.
    ///
    /// - Throws: what must be mended before the gateway may start.
    func check() async throws {
        readiness.begin(Self.component, reason: "waits for the database")
        try await Retry(component: Self.component, readiness: readiness, logger: logger)
            .run("schema, keys and routes are right") { try await checkOnce() }
    }

    private func checkOnce() async throws {
        do { try await compare() } catch let error as PostgresError where error.sqlState == "57014" {
            // The tables do not become smaller: with retries alone the gateway would never start.
            throw ConfigurationError(problems: [
                .init(
                    key: "postgres.statement-timeout",
                    reason: "a check before the start takes longer than this: \(error). See why the statement is slow "
                        + "(a lock, a missing index, tables without ANALYZE), or raise the limit")
            ])
        }
    }

    private func compare() async throws {
        let uses = try await pool.withConnection { connection in
            try await GatewaySchema.migrator.check(connection)
            try await GatewaySchema.migrator.checkRole(GatewaySchema.serviceRole, on: connection)
            return try await RouteUse.all(on: connection, logger: logger)
        }
        var problems = RouteUse.problems(of: uses, in: merchants())
        if let problem = try await requiredKeys.problem() {
            problems.append(.init(key: "sealing.keys", reason: problem))
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }
}
