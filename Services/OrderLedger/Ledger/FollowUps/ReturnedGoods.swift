import Contracts

/// What goods that come back cost: the amount of a refund by lines, and what it consists of.
///
/// A piece costs its unit price, its share of the line's tax, and less its share of the offer's discounts (own ones, the
/// coupon, a card's). Of the first k of n pieces of a line the tax is k/n of the line's, rounded down; of goods worth g of
/// a subtotal s the discount is g/s of all discounts, rounded up. A refund is the difference between what came back after
/// it and before it: so no refund gives back a part of a minor unit too much, and the last piece brings the rest. Shipping
/// and extra lines do not come back: the shop names an amount for them.
public struct ReturnedGoods: Sendable {
    private let offer: Offer
    /// Pieces that came back before, by line.
    private let before: [Int: Int64]

    /// - Parameters:
    ///   - offer: what was sold.
    ///   - before: the lines of earlier refunds that were not rejected and have not failed.
    public init(_ offer: Offer, before: [ReturnedLine] = []) {
        self.offer = offer
        self.before = Self.pieces(before)
    }

    /// What `lines` cost.
    public func parts(of lines: [ReturnedLine]) throws(FollowUpRefusal) -> OfferTotals {
        let sold = offer.request.lines
        for (index, line) in lines.enumerated() {
            guard sold.indices.contains(line.line) else {
                throw FollowUpRefusal(
                    .linesNotSold, field: "lines[\(index)].line",
                    "the order has the lines 0 to \(sold.count - 1) only")
            }
            let left = sold[line.line].quantity - before[line.line, default: 0]
            guard line.quantity <= left else {
                throw FollowUpRefusal(
                    .linesNotSold, field: "lines[\(index)].quantity",
                    "\(sold[line.line].quantity) were sold, and \(max(0, left)) of them have not come back")
            }
        }
        let after = before.merging(Self.pieces(lines), uniquingKeysWith: +)
        let (old, new) = (sum(before), sum(after))
        let parts = OfferTotals(
            currency: offer.totals.currency, subtotal: new.goods - old.goods, discount: new.discount - old.discount,
            shipping: 0, tax: new.tax - old.tax)
        guard let parts, parts.total > 0 else {
            throw FollowUpRefusal(.linesNotSold, field: "lines", "these goods cost nothing")
        }
        return parts
    }

    private static func pieces(_ lines: [ReturnedLine]) -> [Int: Int64] {
        lines.reduce(into: [:]) { $0[$1.line, default: 0] += $1.quantity }
    }

    /// What pieces cost together.
    private func sum(_ pieces: [Int: Int64]) -> (goods: Int64, discount: Int64, tax: Int64) {
        var (goods, tax): (Int64, Int64) = (0, 0)
        for (index, count) in pieces {
            guard offer.request.lines.indices.contains(index) else { continue }
            let line = offer.request.lines[index]
            // Both fit: the offer was priced with all pieces.
            goods += line.unitAmount * min(count, line.quantity)
            tax += Self.share(of: line.tax, min(count, line.quantity), line.quantity, isRoundedUp: false)
        }
        let discount =
            offer.totals.subtotal == 0
            ? 0 : Self.share(of: offer.totals.discount, goods, offer.totals.subtotal, isRoundedUp: true)
        return (goods, discount, tax)
    }

    /// `amount × part / whole`, for a part that is no more than the whole.
    private static func share(of amount: Int64, _ part: Int64, _ whole: Int64, isRoundedUp: Bool) -> Int64 {
        let (quotient, remainder) = whole.dividingFullWidth(amount.multipliedFullWidth(by: part))
        return isRoundedUp && remainder > 0 ? quotient + 1 : quotient
    }
}
