import Contracts
import Ledger
import OrchardPostgres

/// Compares what the API offered with what it published: several partitions at once, some orders at a time, each page in
/// a short transaction.
///
/// An offer is published when it is in the facts or waits in the outbox. Orders that a lost database opened are left out:
/// the journal does not have their requests.
struct OfferCheck: Sendable {
    let connections: LedgerConnections

    /// How many orders a transaction reads.
    static let page = 200

    func check() async throws -> AuditCheck {
        let partitions = try await connections.first.partitions(in: ["offered_orders", "orders"])
        let found = try await connections.map(partitions) { partition, _, reader in
            try await Found(partition, on: reader.connection)
        }
        func sum(_ number: (Found) -> Int) -> Int { found.reduce(0) { $0 + number($1) } }
        return AuditCheck(
            "T4", "TAMPER", "prices offered = prices published",
            counts: "\(sum(\.orders)) orders, \(sum(\.revisions)) revisions, \(sum(\.waiting)) still in the outbox",
            findings: .joined(found.map(\.findings)))
    }

    /// What one partition has.
    private struct Found {
        var (orders, revisions, waiting) = (0, 0, 0)
        var findings = FindingList()

        init(_ partition: Int32, on connection: PostgresConnection) async throws {
            var last: OrderID?
            repeat {
                let page = try await connection.transaction(.snapshot) { connection in
                    try await OfferPage.read(partition, behind: last, limit: OfferCheck.page, on: connection)
                }
                orders += page.orders.count
                revisions += page.orders.reduce(0) { $0 + $1.revisions.count }
                waiting += page.orders.reduce(0) { $0 + $1.published.filter { $0.position == nil }.count }
                findings.append(FindingList(page.misplaced + page.orders.flatMap(\.findings)))
                last = page.last
            } while last != nil
        }
    }
}
