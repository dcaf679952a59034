import Contracts

/// An order of the script: the shop's request, the customer's actions, and every correct end.
struct ScriptedOrder: Sendable {
    /// Counted from 1.
    let number: Int
    let scenario: Scenario
    /// Which of the two merchants.
    let merchant: Int
    /// The required totals of the first offer.
    let totals: OfferTotals
    /// The required totals after the customer has changed something in the sheet, if the script says so.
    let changedTotals: OfferTotals?
    /// The token's scheme: `EC_v1` or `RSA_v1`.
    let usesRSA: Bool

    /// Whether the payment holds the amount, so that a capture takes it.
    var isHeld: Bool { [.captured, .capturedAbove, .finalised, .holdVoided].contains(scenario) }

    /// Whether the sheet shows an estimate.
    var isTotalPending: Bool { scenario == .finalised }

    /// What the shop does after the payment, one after the other.
    var followUps: [FollowUpStep] {
        let due = totals.total
        switch scenario {
        case .refunded: return [.refundRest]
        case .partialRefunds:
            let (first, second) = (Self.harmless(due * 3 / 10), Self.harmless(due * 4 / 10))
            return [.refund(first), .refund(second), .refusedRefund(due - first - second + 1)]
        case .twoRefunds: return [.twoRefunds(Self.harmless(due * 3 / 5, above: due / 2))]
        case .voided, .holdVoided: return [.void]
        case .captured: return [.capture(due * 7 / 10)]
        case .capturedAbove: return [.capture(due * 115 / 100)]
        case .finalised: return [.finalise(finalLines)]
        case .lostRefund: return [.refund(Self.amount(near: due / 2, endingIn: scenario.refundFault?.digits ?? 0))]
        case .voidedLate: return [.voidAfterDay]
        case .lateSuccess: return [.givenBack]
        default: return []
        }
    }

    /// The second line is cheaper than estimated, and there is a tip.
    private var finalLines: FinalLines {
        let second = totals.subtotal / 3
        return FinalLines(
            first: totals.subtotal - second, second: second * 4 / 5, tax: totals.tax, tip: 500,
            rest: totals.shipping - totals.discount)
    }

    /// At most this amount, unless that is less than a thousand, with these last three digits.
    private static func amount(near amount: Int64, endingIn digits: Int64) -> Int64 {
        max(amount / 1_000 - 1, 0) * 1_000 + digits
    }

    /// An amount near this one, and above the other, that makes the acquirer of a partial refund behave normally.
    private static func harmless(_ amount: Int64, above least: Int64 = 0) -> Int64 {
        let lower = amount - amount % 1_000 + amount % 700
        return lower > least ? lower : (amount / 1_000 + 1) * 1_000
    }

    /// The ends that the books may show, all fixed before anything is sent.
    var allowedEnds: [OrderEnd] {
        let due = totals.total
        switch scenario {
        case .charged, .lostAnswer, .lostNotification, .silence: return [OrderEnd(.paid, [.succeeded(due)])]
        case .duplicateToken: return [OrderEnd(.paid, [.succeeded(due)])]
        case .oldTicket: return [OrderEnd(.paid, [.succeeded(due)])]
        case .repriced, .coupon, .address, .cardType:
            return [OrderEnd(.paid, [.succeeded(changedTotals?.total ?? due)])]
        case .twoTokens:
            return [.orderBusy, .orderPaid].flatMap { (reason: RefusalReason) in
                [
                    OrderEnd(.paid, [.succeeded(due), .refused(reason)]),
                    OrderEnd(.paid, [.refused(reason), .succeeded(due)]),
                ]
            }
        case .secondTry:
            // The acquirer declines the first amount; the second token pays a repriced order.
            return [OrderEnd(.paid, [.declined(.insufficientFunds), .succeeded(changedTotals?.total ?? due)])]
        case .refunded, .partialRefunds, .twoRefunds, .lostRefund, .voidedLate:
            return [OrderEnd(.paid, [.succeeded(due)])]
        // Near 23:00 in Beijing the sale's day may be over: all of it is given back instead.
        case .voided: return [OrderEnd(.voided, [.succeeded(due)]), OrderEnd(.paid, [.succeeded(due)])]
        case .captured, .capturedAbove, .finalised: return [OrderEnd(.paid, [.authorised(due)])]
        case .holdVoided: return [OrderEnd(.voided, [.authorised(due)])]
        // The decline may be lost with a killed gateway: then the shop gives back what was paid.
        case .lateSuccess: return [OrderEnd(.open, [.lateSuccess(due)]), OrderEnd(.paid, [.succeeded(due)])]
        case .frozenCard: return [OrderEnd(.open, [.declined(.frozenCard)])]
        case .incorrectPIN: return [OrderEnd(.open, [.declined(.incorrectPIN)])]
        case .insufficientFunds, .lateDecline: return [OrderEnd(.open, [.declined(.insufficientFunds)])]
        case .cryptogram: return [OrderEnd(.open, [.declined(.noRoute)])]
        case .wrongAmount: return [OrderEnd(.open, [.rejected(stage: "amount")])]
        case .otherOrder: return [OrderEnd(.open, [.rejected(stage: "applicationData")])]
        case .forgedToken: return [OrderEnd(.open, [.rejected(stage: "signature")])]
        case .waitedTooLong: return [OrderEnd(.open, [.declined(.expired)])]
        case .cancelled: return [OrderEnd(.cancelled, [.refused(.orderClosed)])]
        case .expired: return [OrderEnd(.expired, [])]
        case .cancelRace:
            return [OrderEnd(.paid, [.succeeded(due)]), OrderEnd(.cancelled, [.refused(.orderClosed)])]
        }
    }

    /// What the shop does during the acquirer's day, and what after it.
    var followUpsByDay: (trading: [FollowUpStep], evening: [FollowUpStep]) {
        (followUps.filter { $0 != .voidAfterDay }, followUps.filter { $0 == .voidAfterDay })
    }

    /// What the shop has in the end, after this much was charged.
    func kept(charged: Int64) -> Int64 { followUps.reduce(charged) { $0 + $1.change(of: $0) } }

    /// What the acquirer's files must have of it, after this much was charged.
    ///
    /// - Parameter isVoided: whether the sale was undone; else, near the day's end, all of it is given back.
    func filed(charged: Int64, isVoided: Bool) -> [String: [Int64]] {
        var (rows, kept): ([String: [Int64]], Int64) = (charged > 0 ? ["01": [charged]] : [:], charged)
        for step in followUps {
            let change = step.change(of: kept)
            if change != 0, let kind = step.filedKind(isVoided: isVoided) {
                rows[kind, default: []].append(abs(change))
            }
            kept += change
        }
        return rows.mapValues { $0.sorted() }
    }

    /// The required sums of the order's entries by account, after this much was charged; nil for an amount that none of
    /// its offers has.
    func postings(charged: Int64) -> [String: Int64]? {
        if charged == 0 { return [:] }
        guard let paid = [totals, changedTotals].compactMap(\.self).first(where: { $0.total == charged }) else {
            return nil
        }
        return [
            "assets:acquirer-receivable": paid.total, "income:discounts": paid.discount, "income:sales": -paid.subtotal,
            "income:shipping": -paid.shipping, "liabilities:tax-payable": -paid.tax,
        ].filter { $0.value != 0 }
    }
}
