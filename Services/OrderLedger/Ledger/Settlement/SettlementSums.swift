import Contracts

/// What some transactions add up to, in minor units.
public struct SettlementSums: Hashable, Sendable {
    public private(set) var count: Int64 = 0
    /// What was taken from cards.
    public private(set) var taken: Int64 = 0
    /// What was given back to cards.
    public private(set) var returned: Int64 = 0
    /// The acquirer's fees less fees that it gave back.
    public private(set) var fees: Int64 = 0
    /// What the acquirer owes.
    public private(set) var net: Int64 = 0
    /// Whether a sum exceeded 64 bits; then none is valid.
    public private(set) var isOverflown = false

    public init() {}

    /// The sums that a file states.
    public init(_ file: SettlementFileRecorded) {
        (count, taken, returned, fees, net) = (file.rows, file.taken, file.returned, file.fees, file.net)
    }

    /// Adds a row of a file.
    mutating func add(_ row: SettlementRecorded) {
        add(row.kind.gross(row.amount.minorUnits), fee: row.fee, net: row.net)
    }

    /// Adds a transaction of ours, whose fee we do not know.
    mutating func add(_ expected: ExpectedSettlement) { add(expected.gross, fee: 0, net: expected.gross) }

    /// Adds other sums.
    mutating func add(_ other: Self) {
        count += other.count
        add(other.taken, to: \.taken)
        add(other.returned, to: \.returned)
        add(other.fees, to: \.fees)
        add(other.net, to: \.net)
        isOverflown = isOverflown || other.isOverflown
    }

    private mutating func add(_ gross: Int64, fee: Int64, net: Int64) {
        count += 1
        add(gross > 0 ? gross : 0, to: \.taken)
        add(gross < 0 ? 0 &- gross : 0, to: \.returned)
        // It has no opposite.
        if gross == .min { isOverflown = true }
        add(fee, to: \.fees)
        add(net, to: \.net)
    }

    private mutating func add(_ amount: Int64, to sum: WritableKeyPath<Self, Int64>) {
        let (next, overflow) = self[keyPath: sum].addingReportingOverflow(amount)
        self[keyPath: sum] = next
        isOverflown = isOverflown || overflow
    }
}
