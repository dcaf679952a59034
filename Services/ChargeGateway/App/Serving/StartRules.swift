import Postgres
import ServiceKit

/// Checks, before anything is read or sent, that database and keys are the ones this gateway needs.
struct StartRules: Service {
    let pool: PostgresPool
    let needs: KeyNeeds
    let gate: Gate
    let readiness: Readiness
    let logger: Logger

    private static let component = "start rules"

    /// Waits for the database, checks, opens the gate.
    ///
    /// - Throws: what must be mended before the gateway may start.
    func run() async throws {
        readiness.set(Self.component, ready: false, reason: "waiting for the database")
        do {
            try await cancelWhenGracefulShutdown {
                while true {
                    do {
                        return try await check()
                    } catch let error as PostgresError where Self.mayPass(error) {
                        readiness.set(Self.component, ready: false, reason: "waiting for the database: \(error.reason)")
                        try await Task.sleep(for: .milliseconds(500))
                    }
                }
            }
        } catch is CancellationError {
            return
        } catch let error as PostgresError where error.code == .cancelled || error.code == .poolClosed {
            return
        }
        readiness.set(Self.component, ready: true, reason: "schema and keys are right")
        gate.open()
        try? await gracefulShutdown()
    }

    private func check() async throws {
        try await pool.withConnection { try await GatewaySchema.migrator.check($0) }
        if let complaint = try await needs.complaint() {
            throw ConfigurationError(problems: [.init(key: "sealing.keys", reason: complaint)])
        }
    }

    private static func mayPass(_ error: PostgresError) -> Bool {
        error.isRetriable || error.code == .connectionLost || error.sqlState?.hasPrefix("57P") == true
    }
}
