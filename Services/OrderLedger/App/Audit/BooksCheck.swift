import Foundation
import Ledger
import OrchardPostgres

/// Runs an audit or a replay and prints its report.
struct BooksCheck {
    let postgres: PostgresConfiguration
    let isJSON: Bool

    /// - Returns: 0 when nothing is wrong, 1 with findings, 2 when the check could not run.
    func run(_ check: @Sendable (LedgerConnections) async throws -> AuditReport) async -> Int32 {
        do {
            let report = try await LedgerConnections.with(postgres) { connections in
                try await LedgerSchema.migrator.check(connections.first.connection)
                return try await check(connections)
            }
            FileHandle.standardOutput.write(isJSON ? Data(report.json + [0x0A]) : Data(report.text.utf8))
            return report.exitStatus
        } catch {
            FileHandle.standardError.write(Data("order-ledger: could not check: \(error)\n".utf8))
            return 2
        }
    }
}
