import Contracts
import Ledger
import OrchardPostgres

/// Compares the orders that facts give with those in the tables, without holding either in memory.
///
/// Both are turned into digests and summed (``OrderSums``). The tables change meanwhile: an order with new facts since
/// the audit began is folded again from its facts, in the same snapshot that reads its rows. Where sums differ, the
/// orders of those buckets are compared one by one.
struct OrderComparison: Sendable {
    private(set) var orders: Int64 = 0
    private(set) var payments: Int64 = 0
    private(set) var findings = FindingList()
    /// Limits and holds of the stored orders.
    private(set) var amounts: AmountAudit

    init(partition: Int32) {
        amounts = AmountAudit(partition: partition)
    }

    /// Compares a partition, folded again up to the start of the audit, with its tables.
    mutating func compare(_ refold: Refold, _ start: AuditStart.Partition, _ reader: LedgerReader) async throws {
        orders += refold.orders
        payments += refold.payments
        var stored = OrderSums(key: refold.sums.key)
        var suspects: Set<Int> = []
        try await pages(start.number, OrderTables.names, reader) { page in
            let touched = try await reader.touched(start.number, page.orders, behind: start.last)
            let (states, statuses, unreadable) = try await page.stored(reader)
            for state in states where !touched.contains(state.id) {
                stored.add(state, status: statuses[state.id])
                amounts.add(state)
            }
            suspects.formUnion(unreadable.keys.filter { !touched.contains($0) }.map { OrderSums.bucket(of: $0) })
            let facts = try await reader.facts(start.number, of: touched.sorted())
            let before = Fold(
                partition: start.number, refolding: facts.filter { $0.position.offset <= start.last })
            for state in before.orders.values {
                stored.add(state, status: state.status?.rawValue)
                amounts.add(state)
            }
            findings.append(try await page.differences(touched.sorted(), reader))
        }
        suspects.formUnion(refold.sums.differing(from: stored))
        if !suspects.isEmpty { try await name(suspects, start, reader) }
    }

    /// Names the orders of the buckets that differ.
    private mutating func name(
        _ suspects: Set<Int>, _ start: AuditStart.Partition, _ reader: LedgerReader
    ) async throws {
        let before = findings.count
        try await pages(start.number, OrderTables.names + ["facts"], reader) { page in
            let orders = page.orders.filter { suspects.contains(OrderSums.bucket(of: $0)) }
            findings.append(try await page.differences(orders, reader))
        }
        guard findings.count == before else { return }
        findings.append(
            .init(
                "P\(start.number): the stored orders differ from those of the journal, although each agrees with "
                    + "the stored facts: see the rows that differ"))
    }

    /// Runs `body` for each page of orders, in a short snapshot for each page.
    private func pages(
        _ partition: Int32, _ tables: [String], _ reader: LedgerReader, _ body: (OrderPage) async throws -> Void
    ) async throws {
        var last: OrderID?
        repeat {
            last = try await reader.connection.transaction(.snapshot) { _ in
                let orders = try await reader.orders(partition, in: tables, behind: last)
                try await body(OrderPage(partition: partition, orders: orders, previous: last))
                return orders.count == LedgerReader.chunk ? orders.last : nil
            }
        } while last != nil
    }
}
