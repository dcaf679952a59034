import Contracts

/// An acquirer's file of one day of an account, read and checked: every row is right in itself, and together they are what
/// the file says they sum to.
public struct SettlementFile: Hashable, Sendable {
    public let account: String
    public let date: SettlementDate
    public let currency: Currency
    public let rows: [SettlementRow]
    public let disputes: [SettlementDispute]
    public let totals: SettlementTotals
    /// SHA-256 over the files inside, by their names: the same for a file that was packed again.
    public let contentDigest: [UInt8]

    public init(
        account: String, date: SettlementDate, currency: Currency, rows: [SettlementRow],
        disputes: [SettlementDispute], totals: SettlementTotals, contentDigest: [UInt8]
    ) {
        (self.account, self.date, self.currency) = (account, date, currency)
        (self.rows, self.disputes, self.totals) = (rows, disputes, totals)
        self.contentDigest = contentDigest
    }
}

/// What rows sum to, in minor units.
public struct SettlementTotals: Hashable, Sendable {
    /// Taken from cards.
    public private(set) var taken: Int64 = 0
    /// Given back to cards.
    public private(set) var returned: Int64 = 0
    /// Kept by the acquirer, less what it gave back.
    public private(set) var fees: Int64 = 0
    /// What the acquirer owes.
    public private(set) var net: Int64 = 0

    public init() {}

    /// Adds a row.
    ///
    /// - Returns: false when a sum is more than 64 bits hold.
    public mutating func add(_ row: SettlementRow) -> Bool {
        let amount = row.amount.minorUnits
        let sums = [
            taken.addingReportingOverflow(row.takesMoney ? amount : 0),
            returned.addingReportingOverflow(row.takesMoney ? 0 : amount),
            fees.addingReportingOverflow(row.fee), net.addingReportingOverflow(row.net),
        ]
        (taken, returned, fees, net) = (
            sums[0].partialValue, sums[1].partialValue, sums[2].partialValue, sums[3].partialValue
        )
        return !sums.contains { $0.overflow }
    }
}
