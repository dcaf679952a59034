/// What an account's acquirer has paid to the bank, in minor units.
public struct BankBalance: Hashable, Sendable {
    /// Pay-outs that the bank booked on the day.
    public var paidOut: Int64
    /// What the acquirer's files owed at the day's end, less all pay-outs until then.
    public var outstanding: Int64

    public init(paidOut: Int64 = 0, outstanding: Int64 = 0) {
        (self.paidOut, self.outstanding) = (paidOut, outstanding)
    }
}
