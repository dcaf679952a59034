import Charging
import Contracts

/// One input for one order.
struct OrderStep: Sendable {
    let place: OrderStore.Place
    let lockWait: OrderStore.LockWait
    /// Whether it needs the order's sealed card data.
    let readsCards: Bool
    /// Gives the order its input, while its rows are locked; may be called again after a transaction that failed.
    let body: @Sendable (inout StoredOrder, Timestamp) throws -> [Action]

    /// What was committed.
    struct Done: Sendable {
        let order: StoredOrder
        let actions: [Action]
        /// When, by the database's clock.
        let time: Timestamp
    }

    /// The result of a step in a group.
    enum Result: Sendable {
        case done(Done)
        /// The order has no row, or another transaction holds it and the step does not wait.
        case nothing
        /// Nothing was written for it.
        case failed(any Error)
        /// Another transaction holds the order, and the step waits for it.
        case held
    }
}
