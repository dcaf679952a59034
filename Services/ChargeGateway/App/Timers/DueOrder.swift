import Charging
import Contracts

/// An order whose time has come, as it was seen without a lock.
struct DueOrder: Hashable, Sendable {
    let order: OrderID
    let partition: Int32
    let step: NextStep.Kind
    let acquirer: String
    let account: String
}

/// When something is due for an order, by the database's clock, and what.
struct DueTime: Hashable, Sendable {
    let order: DueOrder
    let time: Timestamp
}
