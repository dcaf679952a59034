/// One line of an entry.
public struct Posting: Hashable, Sendable {
    public let account: Account
    /// Minor units of the entry's currency; debit positive, credit negative, never zero.
    public let amount: Int64

    public init(_ account: Account, _ amount: Int64) {
        self.account = account
        self.amount = amount
    }
}
