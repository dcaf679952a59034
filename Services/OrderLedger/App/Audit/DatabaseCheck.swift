import Ledger
import OrchardPostgres
import Outbox

/// A check of the audit that reads the database itself, in short statements.
struct DatabaseCheck: Sendable {
    /// As in the report, for example `T3`.
    let id: String
    let run: @Sendable (PostgresConnection) async throws -> AuditCheck
}

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

extension DatabaseCheck {
    /// Facts that left the topic before the ledger read them.
    static func losses(_ inbox: Inbox) -> DatabaseCheck {
        DatabaseCheck(id: "C5") { connection in
            let (section, title) = ("COMPLETE", "facts that left the topic unread")
            do {
                let losses = try await inbox.losses(on: connection)
                return AuditCheck(
                    "C5", section, title, counts: "\(losses.reduce(0) { $0 &+ $1.offsets.count }) offsets",
                    findings: losses.map {
                        .init(
                            "offsets \($0.offsets.lowerBound)…\($0.offsets.upperBound - 1) are lost",
                            at: JournalPosition(partition: $0.partition, offset: $0.offsets.lowerBound))
                    })
            } catch  where error.isDamage {
                return AuditCheck("C5", section, title, counts: "0 offsets", findings: [.init("\(error)")])
            }
        }
    }
}

extension Error {
    /// Whether the error says that the ledger cannot have written a row. A check then reports a finding and continues.
    var isDamage: Bool {
        switch self {
        case is StoreError: true
        case let error as PostgresError: error.code == .value
        default: false
        }
    }
}
