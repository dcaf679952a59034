import Contracts
import Ledger
import Outbox

/// Some orders of a partition that tables have rows of.
struct OrderPage {
    let partition: Int32
    /// In ascending order.
    let orders: [OrderID]
    /// The last order of the page before.
    var previous: OrderID?

    /// The stored states of all orders of the page.
    func stored(
        _ reader: LedgerReader
    ) async throws -> (states: [OrderState], statuses: [OrderID: String], unreadable: [OrderID: String]) {
        guard let previous, let last = orders.last else { return try await stored(orders, reader) }
        do {
            let (states, statuses) = try await reader.orders(partition, behind: previous, through: last)
            return (states, statuses, [:])
        } catch  where error.isDamage {
            return try await stored(orders, reader)
        }
    }

    /// The stored states of some orders. An order whose rows cannot be read is found by halving the list.
    func stored(
        _ ids: [OrderID], _ reader: LedgerReader
    ) async throws -> (states: [OrderState], statuses: [OrderID: String], unreadable: [OrderID: String]) {
        guard !ids.isEmpty else { return ([], [:], [:]) }
        do {
            let (states, statuses) = try await reader.orders(partition, ids)
            return (states, statuses, [:])
        } catch  where error.isDamage {
            guard ids.count > 1 else { return ([], [:], [ids[0]: "\(error)"]) }
            let left = try await stored(Array(ids[..<(ids.count / 2)]), reader)
            let right = try await stored(Array(ids[(ids.count / 2)...]), reader)
            return (
                left.states + right.states, left.statuses.merging(right.statuses) { first, _ in first },
                left.unreadable.merging(right.unreadable) { first, _ in first }
            )
        }
    }

    /// Compares some orders one by one with what their stored facts give.
    func differences(_ ids: [OrderID], _ reader: LedgerReader) async throws -> FindingList {
        guard !ids.isEmpty else { return [] }
        let expected = Fold(partition: partition, refolding: try await reader.facts(partition, of: ids)).orders
        let (states, statuses, unreadable) = try await stored(ids, reader)
        let known = Dictionary(states.map { ($0.id, $0) }) { first, _ in first }
        var findings = FindingList()
        for id in ids {
            let text =
                unreadable[id].map { "cannot be read: \($0)" } ?? Self.difference(expected[id], known[id])
                ?? Self.difference(expected[id]?.status, statuses[id])
            if let text { findings.append(.init("P\(partition) order \(id): \(text)")) }
        }
        return findings
    }

    private static func difference(_ expected: OrderState?, _ stored: OrderState?) -> String? {
        guard let expected else { return stored == nil ? nil : "stored, but missing in the journal" }
        guard let stored else { return "in the journal, but not stored" }
        guard expected != stored else { return nil }
        if expected.offers != stored.offers { return "the offers differ" }
        for payment in expected.payments where stored[payment.payment] != payment {
            return "payment \(payment.payment) differs: "
                + (stored[payment.payment].map { "stored as \($0.status.rawValue)" } ?? "not stored")
                + ", folded as \(payment.status.rawValue)"
        }
        if expected.payments != stored.payments { return "a stored payment is missing in the journal" }
        for followUp in expected.followUps where !stored.followUps.contains(followUp) {
            let found = stored.followUps.first { $0.operation == followUp.operation }
            return "\(followUp.kind.rawValue) \(followUp.operation) differs: "
                + (found.map { "stored as \($0.status.rawValue)" } ?? "not stored")
                + ", folded as \(followUp.status.rawValue)"
        }
        if expected.followUps != stored.followUps {
            return "a stored capture, void or refund is missing in the journal"
        }
        if expected.settlements != stored.settlements { return "the settlement facts differ" }
        if expected.parked != stored.parked { return "the waiting facts differ" }
        return "closing, payer, final lines or commands differ"
    }

    private static func difference(_ expected: OrderStatus?, _ stored: String?) -> String? {
        expected?.rawValue == stored
            ? nil : "stored as \(stored ?? "not opened"), folded as \(expected?.rawValue ?? "not opened")"
    }
}
