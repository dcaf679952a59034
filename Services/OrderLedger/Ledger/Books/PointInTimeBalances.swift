import Contracts
import OrchardJSON

/// The balances of all accounts at a time, for each merchant and currency.
public struct PointInTimeBalances: Hashable, Sendable {
    /// Which time of an entry counts.
    public enum Basis: String, Sendable {
        /// When the fact happened.
        case event
        /// When this database booked it.
        case booking
    }

    /// The sums of one merchant.
    public struct Merchant: Hashable, Sendable {
        public let id: MerchantID
        public let balance: TrialBalance

        public init(_ id: MerchantID, _ balance: TrialBalance) {
            (self.id, self.balance) = (id, balance)
        }
    }

    public let time: Timestamp
    public let basis: Basis
    public let merchants: [Merchant]

    /// - Parameter merchants: in any order.
    public init(at time: Timestamp, by basis: Basis, _ merchants: [Merchant]) {
        (self.time, self.basis) = (time, basis)
        self.merchants = merchants.sorted { $0.id < $1.id }
    }

    /// Whether debits equal credits, for each merchant in each currency.
    public var isBalanced: Bool { merchants.allSatisfy { $0.balance.totals.allSatisfy(\.isBalanced) } }

    /// The balances as a table for people.
    public var text: String {
        var lines = ["accounts at \(time), by the time of the \(basis.rawValue)"]
        if merchants.isEmpty { lines.append("no entries") }
        for merchant in merchants {
            lines.append("merchant \(merchant.id)")
            for total in merchant.balance.totals {
                var (debits, credits) = (Money.zero(total.currency), Money.zero(total.currency))
                for line in merchant.balance.lines where line.currency == total.currency && line.amount != 0 {
                    let amount = Money(minorUnits: line.amount, currency: line.currency)
                    if line.amount > 0 {
                        debits = debits.adding(amount) ?? debits
                    } else {
                        credits = credits.adding(amount) ?? credits
                    }
                    lines.append(Self.row(line.account, amount))
                }
                lines.append(
                    "  " + "total".padded(to: 34) + debits.decimal.leftPadded(to: 16)
                        + (credits.negated ?? credits).decimal.leftPadded(to: 16) + "  \(total.currency)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ account: String, _ amount: Money) -> String {
        let (debit, credit) =
            amount.minorUnits > 0 ? (amount.decimal, "") : ("", (amount.negated ?? amount).decimal)
        return "  " + OutsideText.printable(account, upTo: 100).padded(to: 34) + debit.leftPadded(to: 16)
            + credit.leftPadded(to: 16) + "  \(amount.currency)"
    }

    /// The balances for programs: minor units, debit positive, and the sums of all debits and credits.
    public var json: [UInt8] {
        JSONWriter.object { object in
            object.member("at", time.description)
            object.member("basis", basis.rawValue)
            object.array("merchants") { array in
                for merchant in merchants { array.object { Self.write(merchant, to: &$0) } }
            }
        }
    }

    private static func write(_ merchant: Merchant, to object: inout JSONObjectWriter) {
        object.array("accounts") { array in
            for line in merchant.balance.lines {
                array.object { object in
                    object.member("account", line.account)
                    object.member("currency", line.currency.code)
                    object.member("minorUnits", line.amount)
                }
            }
        }
        object.member("merchantId", merchant.id.description)
        object.array("totals") { array in
            for total in merchant.balance.totals {
                array.object { object in
                    object.member("credit", total.credit)
                    object.member("currency", total.currency.code)
                    object.member("debit", total.debit)
                }
            }
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }

    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(1, width - count)) + self
    }
}
