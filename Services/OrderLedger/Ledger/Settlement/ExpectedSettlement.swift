import Contracts

/// A transaction that moved money, as we know it: what the acquirer's file must have.
public struct ExpectedSettlement: Hashable, Sendable {
    public let operation: OperationID
    public let payment: PaymentID
    public let kind: OperationKind
    public let acquirer: String
    public let account: String
    /// The day in whose file it should stand; nil where no answer of the acquirer told it.
    public let date: SettlementDate?
    /// More than zero.
    public let amount: Money
    /// The acquirer's number of it.
    public let serial: String?
    /// What the acquirer, or a person who decided it, remarks on it.
    public let remark: String?

    /// What the acquirer owes for it before its fee, in minor units; negative when the merchant owes it.
    public var gross: Int64 { kind.gross(amount.minorUnits) }

    /// Whether a file of this day may have it: the transaction's own day, or the next for one near the day's end.
    func mayStand(in day: SettlementDate) -> Bool {
        guard let date else { return true }
        return date == day || date.adding(days: 1) == day
    }
}

extension OperationKind {
    /// What the acquirer owes for a transaction of this amount, before its fee: positive for what is taken from cards,
    /// negative for what is given back. A hold moves nothing. The smallest number, which only a changed row has, stays.
    public func gross(_ amount: Int64) -> Int64 {
        switch self {
        case .sale, .capture: amount
        case .void, .refund: 0 &- amount
        case .authorisation: 0
        }
    }
}

extension OrderState {
    /// The order's transactions that moved money, charges first.
    public var expectedSettlements: [ExpectedSettlement] {
        payments.compactMap { payment in
            guard payment.charge == .sale, let reference = payment.reference
            else { return nil }
            return ExpectedSettlement(
                operation: OperationID(chargeOf: payment.payment, order: id), payment: payment.payment, kind: .sale,
                acquirer: reference.acquirer, account: reference.account,
                date: SettlementDate(of: payment.result, or: reference), amount: payment.amount,
                serial: payment.result?.serial, remark: payment.reason)
        }
            + followUps.compactMap { followUp in
                guard followUp.status == .succeeded, followUp.target != .authorisation,
                    let reference = followUp.result?.reference ?? self[followUp.payment]?.reference
                else { return nil }
                return ExpectedSettlement(
                    operation: followUp.operation, payment: followUp.payment, kind: followUp.kind.operation,
                    acquirer: reference.acquirer, account: reference.account,
                    date: followUp.result.flatMap { SettlementDate(of: $0, or: $0.reference) },
                    amount: followUp.amount, serial: followUp.result?.serial, remark: followUp.reason)
            }
    }

    /// The rows of files that settle one of its operations, in the order of the journal.
    func rows(of operation: OperationID) -> [SettlementRecorded] {
        settlements.compactMap(\.fact.row).filter { $0.operation?.operation == operation }
    }
}

extension SettlementDate {
    /// The day that the acquirer told for a transaction (month and day without the year), else the day of its time.
    init(of result: AcquirerResult?, or reference: AcquirerReference) {
        let own = SettlementCalendar.unionPay.day(of: reference.time)
        let stated = result?.settlementDate.flatMap { text in
            // The year is the one that brings it nearest to the transaction.
            (own.year - 1...own.year + 1).compactMap { year -> SettlementDate? in
                let digits = Array(text.utf8)
                guard digits.count == 4, digits.allSatisfy({ (48...57).contains($0) }), let number = Int(text) else {
                    return nil
                }
                return SettlementDate(year: year, month: number / 100, day: number % 100)
            }.min { abs($0.days(from: own)) < abs($1.days(from: own)) }
        }
        self = stated ?? own
    }

    private func days(from other: SettlementDate) -> Int64 {
        guard let mine = CivilTime(year: year, month: month, day: day)?.timestamp(),
            let theirs = CivilTime(year: other.year, month: other.month, day: other.day)?.timestamp()
        else { return .max }
        return (mine.microseconds - theirs.microseconds) / 86_400_000_000
    }
}
