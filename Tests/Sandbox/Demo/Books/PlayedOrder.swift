import Contracts

/// An order of the script after it was played: the identifiers that the services gave it.
struct PlayedOrder: Sendable {
    let script: ScriptedOrder
    let order: OrderID
    /// The payments in the order they were sent.
    let payments: [PaymentID]
}
