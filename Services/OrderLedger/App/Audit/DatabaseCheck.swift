import Ledger
import OrchardPostgres

/// A check of the audit that reads the database itself, in short statements.
struct DatabaseCheck: Sendable {
    /// As in the report, for example `T3`.
    let id: String
    let run: @Sendable (PostgresConnection) async throws -> AuditCheck
}
