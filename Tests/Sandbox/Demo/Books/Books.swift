import Contracts

/// One payment in one book.
struct BookedPayment: Hashable, Sendable {
    let order: OrderID
    let payment: PaymentID
    var outcome: OrderEnd.Outcome
}

/// The contents of the five books of the day.
struct Books: Sendable {
    /// The outcomes on the devices: HTTP answers of token-ingest and order-ledger.
    var device: [BookedPayment] = []
    /// The acquirer's own book: every sale that reached it, by our payment.
    var acquirer: [BookedPayment] = []
    /// The gateway's operations and whether each order is open.
    var gateway: [BookedPayment] = []
    var gatewayOrders: [OrderID: OrderEnd.State] = [:]
    /// The ledger's payments, its orders, the sums of its entries by order and account, and its number of rejected
    /// commands of the shop.
    var ledger: [BookedPayment] = []
    var ledgerOrders: [OrderID: OrderEnd.State] = [:]
    var entries: [OrderID: [String: Int64]] = [:]
    var rejectedCommands: [OrderID: Int] = [:]
    /// The acquirer's settlement files.
    var file: [FiledTransaction] = []
    /// What the ledger has settled of each order by the files' rows.
    var settled: [OrderID: Int64] = [:]
    /// What the shop has of each order, by the acquirer's book and by the gateway's.
    var acquirerKept: [OrderID: Int64] = [:]
    var gatewayKept: [OrderID: Int64] = [:]
}
