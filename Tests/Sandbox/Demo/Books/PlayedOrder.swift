import Contracts

/// An order of the script after it was played, with the identifiers from the services.
struct PlayedOrder: Sendable {
    let script: ScriptedOrder
    let order: OrderID
    /// The payments in the order they were sent.
    let payments: [PaymentID]
    /// Whether a cancel went to the gateway; false when order-ledger refused it at once.
    var isCancelTaken = true
}
