import Contracts
import OrchardServiceKit

/// Lets a few rejections of an order into the journal, which keeps them for ever: whoever holds a ticket could fill it.
///
/// A worker remembers what it told for as long as it runs and has room; it needs no exact memory to stop a flood.
final class RejectionLimit: Sendable {
    /// Rejections of an order that a worker tells; a customer who tries again and again has fewer.
    static let perOrder = 20

    private let capacity: Int
    private let published = Locked<[OrderID: Int]>([:])

    /// - Parameter capacity: orders that are remembered; when there are more, all are forgotten.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Whether another rejection of the order is to be told; counts it.
    func admits(_ order: OrderID) -> Bool {
        published.withLock { told in
            let count = told[order, default: 0]
            guard count < Self.perOrder else { return false }
            if count == 0, told.count >= capacity { told = [:] }
            told[order] = count + 1
            return true
        }
    }
}
