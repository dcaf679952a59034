/// Selects transactions by values that a test knows; an empty pattern matches all.
struct TransactionMatch: Hashable, Sendable {
    /// nil: every kind.
    var kind: TransactionKind?
    var orderIDPrefix = ""
    /// The card number in clear, which only charges have.
    var card = ""
    /// Fen.
    var amount: Int64?

    func matches(_ request: TransactionRequest) -> Bool {
        (kind == nil || kind == request.kind) && request.key.orderID.hasPrefix(orderIDPrefix)
            && (card.isEmpty || card == request.card) && (amount == nil || amount == request.amount)
    }
}
