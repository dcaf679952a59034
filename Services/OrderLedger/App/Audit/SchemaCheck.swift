import Ledger
import OrchardPostgres

extension DatabaseCheck {
    /// Whether the schema is the migrations', object by object: else the database may no longer refuse what rule 7
    /// forbids.
    static let schema = DatabaseCheck(id: "T3") { connection in
        let found = try await SchemaCatalogue.read(LedgerSchema.name, on: connection)
        let differences = found.differences(from: LedgerSchema.catalogue)
        return AuditCheck(
            "T3", "TAMPER", "schema = the migrations'",
            counts:
                "\(found.objects.count) objects, digest \(found.digest.prefix(16)), \(differences.count) differences",
            findings: differences.map { .init($0) })
    }
}
