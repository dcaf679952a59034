import Ledger
import OrchardPostgres

/// Checks object by object that the schema is the migrations'. Otherwise the database may allow what rule 7 forbids.
struct SchemaCheck {
    let connection: PostgresConnection

    func check() async throws -> AuditCheck {
        let found = try await SchemaCatalogue.read(LedgerSchema.name, on: connection)
        let differences = found.differences(from: LedgerSchema.catalogue)
        return AuditCheck(
            "T3", "TAMPER", "schema = the migrations'",
            counts:
                "\(found.objects.count) objects, digest \(found.digest.prefix(16)), \(differences.count) differences",
            findings: FindingList(differences.map { .init($0) }))
    }
}
