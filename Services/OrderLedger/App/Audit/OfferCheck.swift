import Contracts
import Ledger
import OrchardPostgres

extension DatabaseCheck {
    /// Checks that each price that a device may have seen is the published one.
    static let offers = DatabaseCheck(id: "T4") { try await OfferCheck(connection: $0).check() }
}

/// Compares what the API offered with what it published, some orders at a time, each page in a short transaction.
///
/// An offer is published when it is in the facts or waits in the outbox. Orders that only the journal has are left out:
/// the journal does not have their requests.
struct OfferCheck: Sendable {
    let connection: PostgresConnection

    /// How many orders a transaction reads.
    static let page = 200

    func check() async throws -> AuditCheck {
        var (orders, revisions, waiting) = (0, 0, 0)
        var findings = FindingList()
        var last: (partition: Int32, order: OrderID)?
        while true {
            let page = try await connection.transaction(.snapshot) { connection in
                try await OfferPage.read(behind: last, limit: Self.page, on: connection)
            }
            guard let end = page.end else { break }
            last = end
            orders += page.orders.count
            revisions += page.orders.reduce(0) { $0 + $1.revisions.count }
            waiting += page.orders.reduce(0) { $0 + $1.published.filter { $0.position == nil }.count }
            findings.append(FindingList(page.misplaced + page.orders.flatMap(\.findings)))
        }
        return AuditCheck(
            "T4", "TAMPER", "prices offered = prices published",
            counts: "\(orders) orders, \(revisions) revisions, \(waiting) still in the outbox", findings: findings)
    }
}
