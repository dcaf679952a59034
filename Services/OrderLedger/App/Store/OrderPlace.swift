import Contracts

/// Where an order is in the books.
struct OrderPlace: Hashable, Comparable, Sendable {
    let partition: Int32
    let order: OrderID

    /// The order in which rows of several orders are locked.
    static func < (left: Self, right: Self) -> Bool {
        (left.partition, left.order) < (right.partition, right.order)
    }
}
