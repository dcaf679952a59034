import Contracts

/// How an amount is divided among the parts of an offer, or among what is left of them.
///
/// The rule, in minor units:
/// 1. Tax, shipping and discount are taken in proportion to the amount, each rounded down.
/// 2. The goods take the rest, as far as there are goods after discounts; then shipping takes it, then tax.
/// 3. All of the total takes exactly all of each part.
/// 4. What exceeds the total is goods: a capture above the offer (a tip, a longer ride) whose lines nobody gave.
///
/// So the parts add up to the amount, no part is negative, what is left of a part never falls below zero, and the last
/// refund leaves nothing of any part.
extension OfferTotals {
    /// The parts of `amount`, more than zero.
    ///
    /// - Returns: nil when a part exceeds 64 bits.
    func parts(of amount: Int64) -> OfferTotals? {
        precondition(amount > 0, "an amount that moves is more than zero")
        guard amount < total else {
            let goods = subtotal.addingReportingOverflow(amount - total)
            guard !goods.overflow else { return nil }
            return OfferTotals(
                currency: currency, subtotal: goods.partialValue, discount: discount, shipping: shipping, tax: tax)
        }
        func share(_ part: Int64) -> Int64 {
            // The quotient fits: the amount is less than the total.
            total.dividingFullWidth(part.multipliedFullWidth(by: amount)).quotient
        }
        let goods = subtotal - discount
        var (shipped, taxed) = (share(shipping), share(tax))
        var net = amount - shipped - taxed
        if net > goods {
            let more = min(net - goods, shipping - shipped)
            shipped += more
            taxed += net - goods - more
            net = goods
        }
        let less = share(discount)
        return OfferTotals(currency: currency, subtotal: net + less, discount: less, shipping: shipped, tax: taxed)
    }

    /// What is left when `other` was given back. More than there was of a part leaves nothing of it.
    ///
    /// - Returns: nil when nothing is left.
    func less(_ other: OfferTotals) -> OfferTotals? {
        func left(_ part: Int64, _ taken: Int64) -> Int64 { max(0, part - taken) }
        let (goods, off) = (left(subtotal, other.subtotal), left(discount, other.discount))
        let rest = OfferTotals(
            currency: currency, subtotal: goods, discount: min(off, goods), shipping: left(shipping, other.shipping),
            tax: left(tax, other.tax))
        return rest?.total == 0 ? nil : rest
    }

    /// The sum of the parts of two captures; nil when it exceeds 64 bits.
    func adding(_ other: OfferTotals) -> OfferTotals? {
        let sums = [
            subtotal.addingReportingOverflow(other.subtotal), discount.addingReportingOverflow(other.discount),
            shipping.addingReportingOverflow(other.shipping), tax.addingReportingOverflow(other.tax),
        ]
        guard sums.allSatisfy({ !$0.overflow }) else { return nil }
        let parts = sums.map(\.partialValue)
        return OfferTotals(
            currency: currency, subtotal: parts[0], discount: parts[1], shipping: parts[2], tax: parts[3])
    }

    /// Whether `parts` can be given back of what is left: no part falls below zero, and the last refund takes all.
    func hasLeft(_ parts: OfferTotals) -> Bool {
        guard parts.currency == currency, parts.total < total || parts == self else { return false }
        return parts.subtotal <= subtotal && parts.discount <= discount && parts.shipping <= shipping
            && parts.tax <= tax && parts.subtotal - parts.discount <= subtotal - discount
    }

    /// Goods only.
    static func goods(_ amount: Money) -> OfferTotals? {
        OfferTotals(currency: amount.currency, subtotal: amount.minorUnits, discount: 0, shipping: 0, tax: 0)
    }
}
