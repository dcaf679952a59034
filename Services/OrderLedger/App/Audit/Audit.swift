import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// `order-ledger audit`: checks the books using only the books.
///
/// Every line of the report counts what it checked. The audit recomputes the chain, folds the stored records again with
/// the code that made each row and compares, sums the books, and checks what protects them. It reads several partitions
/// at once, a page at a time, in short transactions: memory stays bounded, and the running ledger is not delayed.
struct Audit {
    let connections: LedgerConnections
    let inbox: Inbox
    /// The clock for the facts' times; nil: the database's clock.
    var now: Timestamp?

    func run() async throws -> AuditReport {
        let start = try await AuditStart.read(connections.first, inbox)
        let capacity = connections.capacity
        let partitions = try await connections.map(start.partitions) { partition, _, reader in
            var audit = PartitionAudit(partition, key: start.key, capacity: capacity)
            try await audit.run(reader)
            return audit
        }
        var checks = RowChecks(partitions: partitions, now: now ?? start.now).all
        checks.append(try await LossCheck(connection: connections.first.connection, inbox: inbox).check())
        checks.append(try await SchemaCheck(connection: connections.first.connection).check())
        checks.append(try await OfferCheck(connections: connections).check())
        let settlement = SettlementAudit(joining: partitions.map(\.chain.settlement))
        checks.append(
            try await SettledDayCheck(
                connections: connections, files: settlement.fileTimes, now: now ?? start.now
            ).check())
        var searched: [String: CardNumberCounts] = [:]
        for partition in partitions { searched.merge(partition.cardNumbers) { $0.adding($1) } }
        checks.append(try await CardNumberAudit(connections: connections, searched: searched).check())
        return AuditReport(command: "audit", positions: start.partitions.map(\.position), checks: checks)
    }
}
