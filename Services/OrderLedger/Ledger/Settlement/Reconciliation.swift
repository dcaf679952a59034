import Contracts

/// Compares a settled day of an account three ways: our transactions, the rows of the acquirer's file, and the sums that
/// the file states. Pure, and fed a page at a time: only sums and differences are held.
public struct Reconciliation: Sendable {
    /// A fact with the time at which it was told.
    public struct Dated<Value: Hashable & Sendable>: Hashable, Sendable {
        public let fact: Value
        public let time: Timestamp

        public init(_ fact: Value, at time: Timestamp) { (self.fact, self.time) = (fact, time) }
    }

    public let day: SettlementDay
    /// The file of the day.
    public let file: Dated<SettlementFileRecorded>?
    /// When the file of the next day was told, with all its rows; nil before.
    public let nextFile: Timestamp?
    /// What the acquirer owes for disputes of the day.
    public private(set) var disputes: Int64 = 0
    public private(set) var disputeCount: Int64 = 0
    public private(set) var ours = SettlementSums()
    public private(set) var theirs = SettlementSums()
    /// Rows that agree with ours.
    public private(set) var matched: Int64 = 0
    /// Of these, rows for transactions of the day before.
    public private(set) var fromDayBefore: Int64 = 0
    /// Our transactions that stand in the next day's file.
    public private(set) var inNextDay: Int64 = 0
    /// Our transactions without a row, while it cannot be told yet whether one comes.
    public private(set) var waiting: Int64 = 0
    public private(set) var differences: DifferenceList
    /// Our transactions of the day that acquirer or operator remark something on, the first ``DifferenceList/listed``.
    public private(set) var remarks: [Remarked] = []
    /// How many they are.
    public private(set) var remarked: Int64 = 0

    /// - Parameters:
    ///   - isWhole: whether the books have as many rows of the day as its file.
    ///   - explanations: those of the day.
    public init(
        _ day: SettlementDay, file: Dated<SettlementFileRecorded>?, isWhole: Bool, nextFile: Timestamp?,
        explanations: [DifferenceExplained]
    ) {
        self.day = day
        self.file = file
        self.nextFile = nextFile
        self.isWhole = isWhole
        differences = DifferenceList(explanations: explanations)
    }

    private let isWhole: Bool

    /// The time from which on a transaction without a row is a difference: both files are in the books. nil before.
    private var completeSince: Timestamp? {
        guard let file, isWhole, let nextFile else { return nil }
        return max(file.time, nextFile)
    }

    /// Adds a row of the day's file.
    ///
    /// - Parameter order: the order that it names; nil for a row of no order.
    public mutating func add(_ row: Dated<SettlementRecorded>, of order: OrderState?) {
        theirs.add(row.fact)
        let (fact, gross) = (row.fact, row.fact.kind.gross(row.fact.amount.minorUnits))
        // The fold has checked that the sum fits.
        let settled = fact.net &+ fact.fee
        func differ(_ kind: DifferenceKind, _ amount: Int64) {
            differences.add(SettlementDifference(row: fact, at: row.time, kind: kind, amount: amount))
        }
        guard let operation = fact.operation?.operation, let order,
            let expected = order.expectedSettlements.first(where: { $0.operation == operation }),
            order.rows(of: operation).first?.id == fact.id
        else { return differ(.onlyTheirs, settled) }
        guard expected.amount == fact.amount, expected.gross == gross else {
            let (amount, overflow) = settled.subtractingReportingOverflow(expected.gross)
            return differ(.amountDiffers, overflow ? settled : amount)
        }
        guard settled == gross else { return differ(.feeDiffers, settled &- gross) }
        guard expected.mayStand(in: day.date) else { return differ(.dateDiffers, 0) }
        matched += 1
        if let date = expected.date, date != day.date { fromDayBefore += 1 }
    }

    /// Adds the transactions that an order has on this day.
    public mutating func add(_ order: OrderState) {
        guard order.merchant == day.merchant else { return }
        for expected in order.expectedSettlements
        where expected.date == day.date && expected.acquirer == day.acquirer && expected.account == day.account {
            ours.add(expected)
            if let remark = Remarked(expected, of: order.id) {
                remarked += 1
                if remarks.count < DifferenceList.listed { remarks.append(remark) }
            }
            if let row = order.rows(of: expected.operation).first {
                if row.day.date != day.date { inNextDay += 1 }
            } else if let since = completeSince {
                differences.add(SettlementDifference(ours: expected, of: order.id, on: day, since: since))
            } else {
                waiting += 1
            }
        }
    }

    /// Adds a dispute of the day.
    public mutating func add(_ dispute: DisputeOpened) {
        disputeCount += 1
        disputes &+= dispute.net
    }

    /// Compares the rows with the file's sums, after all rows were added.
    public mutating func close() {
        guard let file, theirs != SettlementSums(file.fact), theirs.count >= file.fact.rows else { return }
        let (amount, overflow) = theirs.net.subtractingReportingOverflow(file.fact.net)
        differences.add(
            SettlementDifference(file: file.fact, since: file.time, amount: overflow ? 0 : amount))
    }
}

extension Reconciliation {
    /// How a day stands.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// Ours, the rows and the file's sums agree to the last minor unit, or every difference is explained.
        case reconciled
        /// There are open differences.
        case differs
        /// A file, or rows of it, or the next day's file have not come.
        case waiting
    }

    public var status: Status {
        if differences.open > 0 { return .differs }
        return waitsFor == nil ? .reconciled : .waiting
    }

    /// What the day waits for, in words; nil when nothing is missing.
    public var waitsFor: String? {
        guard let file else { return "the file of \(day.date)" }
        if theirs.count < file.fact.rows { return "\(file.fact.rows - theirs.count) rows of the file of \(day.date)" }
        if disputeCount < file.fact.disputes { return "\(file.fact.disputes - disputeCount) disputes of the file" }
        return waiting > 0 ? "the file of \(day.date.adding(days: 1)) for \(waiting) transactions" : nil
    }

    /// Whether nothing is known of the day: no file and no transaction.
    public var isEmpty: Bool { file == nil && ours.count == 0 && theirs.count == 0 && disputeCount == 0 }

    /// The currency of the account.
    public var currency: Currency { file?.fact.currency ?? differences.first.first?.amount.currency ?? .cny }

    /// What the acquirer owes for the day by its own word: the file's net with its disputes.
    public var owed: Int64 { (file?.fact.net ?? theirs.net) &+ disputes }
}
