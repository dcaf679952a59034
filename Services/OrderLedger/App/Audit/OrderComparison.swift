import Contracts
import Ledger

/// Compares folded orders with those that the projection keeps, some hundred at a time.
struct OrderComparison {
    private(set) var orders = 0
    private(set) var payments = 0
    private(set) var findings: [AuditCheck.Finding] = []

    /// Takes a partition as folded again, and compares it with what the tables hold.
    mutating func take(_ book: PartitionBook, _ reader: LedgerReader) async throws {
        let expected = book.fold.orders
        orders += expected.count
        payments += expected.values.reduce(0) { $0 + $1.payments.count }
        let ids = expected.keys.sorted()
        for start in stride(from: 0, to: ids.count, by: LedgerReader.chunk) {
            let chunk = ids[start..<min(start + LedgerReader.chunk, ids.count)]
            try await compare(chunk, expected, book.partition, reader)
        }
        try await findStrangers(expected, book.partition, reader)
    }

    /// Compares some orders. One whose rows cannot be read is found by halves, so that the others are compared all the
    /// same.
    private mutating func compare(
        _ ids: ArraySlice<OrderID>, _ expected: [OrderID: OrderState], _ partition: Int32, _ reader: LedgerReader
    ) async throws {
        do {
            let stored = try await reader.orders(partition, Array(ids))
            let known = Dictionary(stored.states.map { ($0.id, $0) }) { first, _ in first }
            for id in ids {
                let text =
                    Self.difference(expected[id], known[id])
                    ?? Self.difference(expected[id]?.status, stored.statuses[id])
                if let text { findings.append(.init("P\(partition) order \(id): \(text)")) }
            }
        } catch  where error.isDamage {
            guard ids.count > 1 else {
                let id = ids.first.map(\.description) ?? ""
                return findings.append(.init("P\(partition) order \(id) cannot be read: \(error)"))
            }
            let middle = ids.startIndex + ids.count / 2
            try await compare(ids[..<middle], expected, partition, reader)
            try await compare(ids[middle...], expected, partition, reader)
        }
    }

    /// Finds rows of orders of which the journal does not tell.
    private mutating func findStrangers(
        _ expected: [OrderID: OrderState], _ partition: Int32, _ reader: LedgerReader
    ) async throws {
        var last: String?
        while true {
            let names = try await reader.orderNames(partition, behind: last)
            for name in names where OrderID(name).flatMap({ expected[$0] }) == nil {
                findings.append(.init("P\(partition) order \(name): stored, but the journal does not tell of it"))
            }
            guard names.count == LedgerReader.chunk else { return }
            last = names.last
        }
    }

    private static func difference(_ expected: OrderState?, _ stored: OrderState?) -> String? {
        guard let expected, let stored else { return "told by the journal, but not stored" }
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
