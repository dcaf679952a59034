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
    var isHeld: Bool { scenario == .captured || scenario == .holdVoided }

    /// What the shop does after the payment, one after the other.
    var followUps: [FollowUpStep] {
        let due = totals.total
        switch scenario {
        case .refunded: return [.refundRest]
        case .partialRefunds:
            let (first, second) = (Self.harmless(due * 3 / 10), Self.harmless(due * 4 / 10))
            return [.refund(first), .refund(second), .refusedRefund(due - first - second + 1)]
        case .twoRefunds: return [.twoRefunds(Self.harmless(due * 3 / 5))]
        case .voided, .holdVoided: return [.void]
        case .captured: return [.capture(due * 7 / 10)]
        default: return []
        }
    }

    /// An amount near this one that makes the acquirer of a partial refund behave normally.
    private static func harmless(_ amount: Int64) -> Int64 { amount - amount % 1_000 + amount % 700 }

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
        case .refunded, .partialRefunds, .twoRefunds: return [OrderEnd(.paid, [.succeeded(due)])]
        // Near 23:00 in Beijing the sale's day may be over: all of it is given back instead.
        case .voided: return [OrderEnd(.voided, [.succeeded(due)]), OrderEnd(.paid, [.succeeded(due)])]
        case .captured: return [OrderEnd(.paid, [.authorised(due)])]
        case .holdVoided: return [OrderEnd(.voided, [.authorised(due)])]
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

    /// What the shop has in the end, after this much was charged.
    func kept(charged: Int64) -> Int64 { followUps.reduce(charged) { $0 + $1.change(of: $0) } }

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
