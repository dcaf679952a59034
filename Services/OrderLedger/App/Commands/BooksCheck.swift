import Foundation
import Ledger
import OrchardPostgres

/// Runs an audit or a replay in one read-only snapshot and prints its report.
struct BooksCheck {
    let postgres: PostgresConfiguration
    let isJSON: Bool

    /// - Returns: 0 when nothing is wrong, 1 with findings, 2 when it could not be checked.
    func run(_ check: @Sendable (PostgresConnection) async throws -> AuditReport) async -> Int32 {
        do {
            let report = try await report(check)
            FileHandle.standardOutput.write(isJSON ? Data(report.json + [0x0A]) : Data(report.text.utf8))
            return report.exitStatus
        } catch {
            FileHandle.standardError.write(Data("order-ledger: could not check: \(error)\n".utf8))
            return 2
        }
    }

    private func report(
        _ check: @Sendable (PostgresConnection) async throws -> AuditReport
    ) async throws -> AuditReport {
        var postgres = postgres
        // Reading everything takes as long as it takes, and Kafka's part of it is idle time for the database.
        postgres.statementTimeout = nil
        postgres.idleInTransactionTimeout = .seconds(24 * 3_600)
        let connection = try await PostgresConnection.connect(postgres)
        do {
            try await LedgerSchema.migrator.check(connection)
            let report = try await connection.transaction(.snapshot, check)
            await connection.close()
            return report
        } catch {
            await connection.close()
            throw error
        }
    }
}
