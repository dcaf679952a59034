import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// `order-ledger audit`: proves the books from the books alone.
///
/// Every line counts what it looked at. It recomputes the chain, folds the kept records again with the code that made
/// each row and compares, sums the books, and looks at what guards them. Partitions are read a page at a time, several
/// at once, in short transactions: however many orders there are, memory stays bounded, and the living ledger is not
/// held up.
struct Audit {
    let connections: LedgerConnections
    let inbox: Inbox
    /// What the facts' own times are compared with; nil: the database's clock.
    var now: Timestamp?

    /// The checks that read the database by themselves, whatever the partitions' rows say.
    private var databaseChecks: [DatabaseCheck] { [.losses(inbox), .schema, .offers] }

    func run() async throws -> AuditReport {
        let start = try await AuditStart.read(connections.first, inbox)
        let capacity = connections.capacity
        let partitions = try await connections.map(start.partitions) { partition, _, reader in
            var audit = PartitionAudit(partition, key: start.key, capacity: capacity)
            try await audit.run(reader)
            return audit
        }
        var checks = RowChecks(partitions: partitions, now: now ?? start.now).all
        for check in databaseChecks { checks.append(try await check.run(connections.first.connection)) }
        checks.append(try await CardNumberAudit(connections: connections).check())
        return AuditReport(command: "audit", positions: start.partitions.map(\.position), checks: checks)
    }
}
