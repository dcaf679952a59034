/// The kinds of transactions by their `txnType`.
enum TransactionKind: String, Sendable, CaseIterable {
    case sale = "01"
    case preauthorisation = "02"
    case completion = "03"
    case refund = "04"
    case saleVoid = "31"
    case preauthorisationVoid = "32"
    case completionVoid = "33"

    /// Whether it comes with a card; else it follows another transaction.
    var hasCard: Bool { self == .sale || self == .preauthorisation }

    /// Whether it takes money from the card.
    var takesMoney: Bool { self == .sale || self == .completion }

    /// Whether it gives money back to the card: of the settlement file's point of view, a void as well.
    var returnsMoney: Bool { [.refund, .saleVoid, .completionVoid].contains(self) }

    /// Whether the settlement files have rows of it: holds and their voids move no money.
    var isSettled: Bool { takesMoney || returnsMoney }

    /// What it may follow; nothing for a charge.
    var originals: Set<TransactionKind> {
        switch self {
        case .sale, .preauthorisation: []
        case .completion, .preauthorisationVoid: [.preauthorisation]
        case .refund: [.sale, .completion]
        case .saleVoid: [.sale]
        case .completionVoid: [.completion]
        }
    }
}
