import Contracts

/// Compares what was held, captured and refunded with the limits, from the orders as they are stored, and sums the open
/// holds, which the lines of the books must have too.
public struct AmountAudit: Hashable, Sendable {
    /// Payments with a hold.
    public private(set) var holds: Int64 = 0
    public private(set) var openHolds: Int64 = 0
    /// Payments of which money was taken.
    public private(set) var charged: Int64 = 0
    public private(set) var captures = FindingList()
    public private(set) var refunds = FindingList()
    /// What the open holds post.
    public private(set) var held = BookSums()
    private let partition: Int32

    public init(partition: Int32) {
        self.partition = partition
    }

    /// Adds the payments of an order.
    public mutating func add(_ order: OrderState) {
        for payment in order.payments {
            guard let amounts = order.amounts(of: payment.payment) else { continue }
            func text(_ units: Int64) -> String { Money(minorUnits: units, currency: amounts.currency).description }
            var name: String { "P\(partition) order \(order.id): payment \(payment.payment)" }
            if amounts.authorised != 0 { holds += 1 }
            if amounts.captured != 0 || amounts.refunded != 0 { charged += 1 }
            if amounts.isHeld {
                openHolds += 1
                for posting in PostingRules.v2.postings(.held(payment.amount)) {
                    held.add(
                        currency: amounts.currency.code, account: posting.account.rawValue, amount: posting.amount)
                }
            }
            if amounts.authorised > 0, PaymentAmounts.isAboveHold(amounts.captured, amounts.authorised) {
                captures.append(
                    .init("\(name): captured \(text(amounts.captured)) of a hold of \(text(amounts.authorised))"))
            }
            if amounts.refunded > amounts.captured {
                refunds.append(
                    .init("\(name): refunded \(text(amounts.refunded)) of \(text(amounts.captured)) taken"))
            }
        }
    }

    /// The differences between the lines of the books and the open holds.
    public func differences(from lines: BookSums) -> FindingList {
        var findings = FindingList()
        for account in [Account.authorisedHolds, .holds] {
            let (booked, open) = (lines.balances(of: account), held.balances(of: account))
            for currency in Set(booked.keys).union(open.keys).sorted() {
                let (line, hold) = (booked[currency] ?? 0, open[currency] ?? 0)
                guard line != hold else { continue }
                findings.append(
                    .init(
                        "P\(partition): \(account.rawValue) is \(line) \(currency) in minor units, the open holds are "
                            + "\(hold)"))
            }
        }
        return findings
    }
}
