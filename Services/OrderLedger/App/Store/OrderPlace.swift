import Contracts
import OrchardPostgres
import Outbox

/// Where an order is in the books.
struct OrderPlace: Hashable, Comparable, Sendable {
    let partition: Int32
    let order: OrderID

    init(partition: Int32, order: OrderID) {
        self.partition = partition
        self.order = order
    }

    init(_ row: PostgresRow) throws {
        self.init(partition: try row.int32("partition"), order: try row.identifier("order_id"))
    }

    /// The order in which rows of several orders are locked.
    static func < (left: Self, right: Self) -> Bool {
        (left.partition, left.order) < (right.partition, right.order)
    }
}
