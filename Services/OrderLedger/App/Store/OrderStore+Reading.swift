import Contracts
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

extension OrderStore {
    /// How often orders are read again that were folded meanwhile.
    private static let attempts = 20

    /// Reads orders, and what else belongs to them, as one fold left them.
    ///
    /// Outside of a snapshot each statement sees what is committed when it begins, and a fold may commit between two: an
    /// order's prices would be there without the order. A fold moves the partition's watermark, so the watermark of the
    /// begin and of the end tells.
    ///
    /// - Parameter more: statements about the same orders.
    /// - Returns: the orders, also those with only parked facts, and the results of `more`.
    /// - Throws: ``OrdersChanging`` when folds came between all of the readings; `PostgresError`, `StoreError`.
    func read(
        _ orders: [OrderID], beside more: [PostgresStatement] = [], on connection: PostgresConnection
    ) async throws -> (orders: [OrderState], more: ArraySlice<PostgresResult>) {
        let (loading, watermark) = (loading(orders), LedgerSchema.inbox.fence(partition))
        for _ in 0..<Self.attempts {
            let results = try await connection.pipeline([watermark] + loading + more + [watermark])
            let ends = try [results.first, results.last].map { try $0?.rows.first?.int64("next_offset") }
            guard ends[0] == ends[1] else { continue }
            let end = loading.count + 1
            return (try self.orders(from: results[1..<end]), results[end..<(results.count - 1)])
        }
        throw OrdersChanging()
    }
}

/// Orders were folded again each time while they were read: a later reading will find them at rest.
struct OrdersChanging: TransientError, CustomStringConvertible {
    var isTransient: Bool { true }
    var description: String { "the orders changed each time while they were read" }
}
