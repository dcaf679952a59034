import Contracts
import Ledger

/// Compares folded orders with those that the projection keeps.
struct OrderComparison {
    private(set) var orders = 0
    private(set) var payments = 0
    private(set) var findings: [AuditCheck.Finding] = []

    /// Takes a partition as folded again, and compares it with what the tables hold.
    mutating func take(_ book: PartitionBook, _ reader: LedgerReader) async throws {
        let partition = book.partition
        let stored: [OrderState]
        let statuses: [OrderID: String]
        do {
            stored = try await reader.orders(partition)
            statuses = try await reader.statuses(partition)
        } catch let error as StoreError {
            return findings.append(.init("P\(partition)'s orders cannot be read: \(error)"))
        }
        let expected = book.fold.orders
        orders += expected.count
        payments += expected.values.reduce(0) { $0 + $1.payments.count }
        let known = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
        for id in Set(expected.keys).union(known.keys).sorted() {
            let text = Self.difference(expected[id], known[id]) ?? Self.difference(expected[id]?.status, statuses[id])
            guard let text else { continue }
            findings.append(.init("P\(partition) order \(id): \(text)"))
        }
    }

    private static func difference(_ expected: OrderState?, _ stored: OrderState?) -> String? {
        guard let expected else { return "stored, but the journal does not tell of it" }
        guard let stored else { return "told by the journal, but not stored" }
        guard expected != stored else { return nil }
        if expected.offers != stored.offers { return "the offers differ" }
        for payment in expected.payments where stored[payment.payment] != payment {
            return "payment \(payment.payment) differs: "
                + (stored[payment.payment].map { "stored as \($0.status.rawValue)" } ?? "not stored")
                + ", folded as \(payment.status.rawValue)"
        }
        if expected.payments != stored.payments { return "a payment is stored that the journal does not tell of" }
        if expected.parked != stored.parked { return "the waiting facts differ" }
        return "closing, payer, attempts or commands differ"
    }

    private static func difference(_ expected: OrderStatus?, _ stored: String?) -> String? {
        expected?.rawValue == stored
            ? nil : "stored as \(stored ?? "not opened"), folded as \(expected?.rawValue ?? "not opened")"
    }
}
