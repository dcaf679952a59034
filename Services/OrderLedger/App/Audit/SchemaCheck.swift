import Ledger
import OrchardPostgres

extension DatabaseCheck {
    /// Checks object by object that the schema is the migrations'. Otherwise the database may allow what rule 7
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
