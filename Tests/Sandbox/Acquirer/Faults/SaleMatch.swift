/// Selects sales by values that a test knows; an empty pattern matches all.
struct SaleMatch: Hashable, Sendable {
    var orderIDPrefix = ""
    /// The card number in clear.
    var card = ""
    /// Fen.
    var amount: Int64?

    func matches(_ sale: Sale) -> Bool {
        sale.key.orderID.hasPrefix(orderIDPrefix) && (card.isEmpty || card == sale.card)
            && (amount == nil || amount == sale.amount)
    }
}
