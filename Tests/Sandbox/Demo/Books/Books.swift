import Contracts

/// One payment as one book has it.
struct BookedPayment: Hashable, Sendable {
    let order: OrderID
    let payment: PaymentID
    var outcome: OrderEnd.Outcome
}

/// What each of the four who keep a book says of the day.
struct Books: Sendable {
    /// What the devices were told: HTTP answers of token-ingest and order-ledger.
    var device: [BookedPayment] = []
    /// The acquirer's own book: every sale that reached it, by our payment.
    var acquirer: [BookedPayment] = []
    /// The gateway's operations and whether each order is open.
    var gateway: [BookedPayment] = []
    var gatewayOrders: [OrderID: OrderEnd.State] = [:]
    /// The ledger's payments, its orders, the sums of its entries by order and account, and how many commands of the
    /// shop it was told were rejected.
    var ledger: [BookedPayment] = []
    var ledgerOrders: [OrderID: OrderEnd.State] = [:]
    var entries: [OrderID: [String: Int64]] = [:]
    var rejectedCommands: [OrderID: Int] = [:]
}
