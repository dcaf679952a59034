import Contracts
import OrchardServiceKit

/// Limits the rejections of an order that are published: the holder of a ticket could fill the attempts topic.
///
/// A worker counts while it runs and has room. It needs no exact count to stop a flood.
final class RejectionLimit: Sendable {
    /// The rejections of an order that a worker publishes. A customer who tries again and again has fewer.
    static let perOrder = 20

    private let capacity: Int
    private let published = Locked<[OrderID: Int]>([:])

    /// - Parameter capacity: the number of orders remembered; when there are more, all are forgotten.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Whether another rejection of the order may be published; counts it.
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
