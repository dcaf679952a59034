import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Goods that come back")
struct ReturnedGoodsTests {
    /// Three cups of 10.00 with 1.00 of tax, and a pot of 20.00: 50.00, less 7.00.
    private static func offer() throws -> Offer {
        try Offer(
            OfferRequest(
                currency: .cny,
                lines: [
                    OfferLine(label: "Cup", unitAmount: 1_000, quantity: 3, tax: 100),
                    OfferLine(label: "Pot", unitAmount: 2_000),
                ], discounts: [OfferDiscount(label: "Welcome", amount: 700)]), revision: 1)
    }

    @Test("cost their price with their share of the tax, less their share of the discount, to the fen")
    func parts() throws {
        let offer = try Self.offer()
        let one = try ReturnedGoods(offer).parts(of: [ReturnedLine(0, quantity: 1)])
        #expect(one == OfferTotals(currency: .cny, subtotal: 1_000, discount: 140, shipping: 0, tax: 33))
        let second = try ReturnedGoods(offer, before: [ReturnedLine(0, quantity: 1)]).parts(
            of: [ReturnedLine(0, quantity: 2)])
        #expect(second == OfferTotals(currency: .cny, subtotal: 2_000, discount: 280, shipping: 0, tax: 67))
        let all = try ReturnedGoods(offer).parts(of: [ReturnedLine(1, quantity: 1), ReturnedLine(0, quantity: 3)])
        #expect(all.amount == offer.totals.amount)
    }

    @Test("are lines of the order, and no more pieces than were sold and have not come back")
    func sold() throws {
        let offer = try Self.offer()
        for (before, line, field) in [
            ([], ReturnedLine(2, quantity: 1), "lines[0].line"),
            ([], ReturnedLine(1, quantity: 2), "lines[0].quantity"),
            ([ReturnedLine(0, quantity: 2)], ReturnedLine(0, quantity: 2), "lines[0].quantity"),
            (
                [ReturnedLine(0, quantity: 2), ReturnedLine(0, quantity: 1)], ReturnedLine(0, quantity: 1),
                "lines[0].quantity"
            ),
        ] as [([ReturnedLine], ReturnedLine, String)] {
            let refusal = #expect(throws: FollowUpRefusal.self) {
                try ReturnedGoods(offer, before: before).parts(of: [line])
            }
            #expect(refusal?.code == .linesNotSold && refusal?.field == field)
        }
    }

    @Test("that cost nothing are not refunded")
    func free() throws {
        let gift = try Offer(
            OfferRequest(
                currency: .cny,
                lines: [OfferLine(label: "Gift", unitAmount: 0), OfferLine(label: "Tea", unitAmount: 1)]),
            revision: 1)
        #expect(throws: FollowUpRefusal.self) { try ReturnedGoods(gift).parts(of: [ReturnedLine(0, quantity: 1)]) }
    }

    @Test("in any portions cost what they cost together, and never more before the last one")
    func portions() throws {
        var random = SplitMix64(seed: 31)
        for _ in 1...300 {
            let lines = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                OfferLine(
                    label: "Tea", unitAmount: .random(in: 0...9_999, using: &random),
                    quantity: .random(in: 1...5, using: &random), tax: .random(in: 0...999, using: &random))
            }
            let goods = lines.reduce(Int64(0)) { $0 + $1.unitAmount * $1.quantity }
            let request = OfferRequest(
                currency: .cny, lines: lines,
                discounts: [OfferDiscount(label: "Less", amount: .random(in: 0...goods, using: &random))])
            guard let offer = try? Offer(request, revision: 1) else { continue }
            var pieces = lines.enumerated().flatMap { index, line in
                (0..<line.quantity).map { _ in ReturnedLine(index, quantity: 1) }
            }
            pieces.shuffle(using: &random)
            var (before, refunded): ([ReturnedLine], Int64) = ([], 0)
            for piece in pieces {
                let parts = try? ReturnedGoods(offer, before: before).parts(of: [piece])
                refunded += parts?.total ?? 0
                before.append(piece)
                #expect(refunded <= offer.totals.total + Int64(before.count))
            }
            // A piece that costs nothing, or less than its discount, is left out.
            #expect(refunded >= offer.totals.total && refunded <= offer.totals.total + Int64(pieces.count))
        }
    }
}
