import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("An amount is divided among the parts of an offer")
struct PartsTests {
    /// Parts of every size, also such as nearly exceed 64 bits.
    private static func totals(_ random: inout SplitMix64) -> OfferTotals? {
        let largest: Int64 = [3, 40, 100_000, .max / 5].randomElement(using: &random) ?? 3
        func part() -> Int64 { Bool.random(using: &random) ? 0 : Int64.random(in: 0...largest, using: &random) }
        let totals = OfferTotals(currency: .cny, subtotal: part(), discount: part(), shipping: part(), tax: part())
        return totals.flatMap { PostingRules.canPost($0) ? $0 : nil }
    }

    private static func isLess(_ left: OfferTotals, _ right: OfferTotals) -> Bool {
        left.subtotal <= right.subtotal && left.discount <= right.discount && left.shipping <= right.shipping
            && left.tax <= right.tax
    }

    @Test("Parts add up to the amount, and what is left of a part never falls below zero", arguments: 0..<400)
    func refunds(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        guard let offer = Self.totals(&random) else { return }
        var left: OfferTotals? = offer
        var refunded: Int64 = 0
        var count = 0
        while let rest = left {
            count += 1
            let amount = count > 12 ? rest.total : Int64.random(in: 1...rest.total, using: &random)
            let parts = try #require(rest.parts(of: amount))
            #expect(parts.total == amount)
            #expect(Self.isLess(parts, rest))
            #expect(rest.hasLeft(parts))
            #expect(Entry.isBalanced(PostingRules.v2.postings(.reversed(.taken(parts)))))
            refunded += amount
            left = rest.less(parts)
            #expect((left?.total ?? 0) == offer.total - refunded)
        }
        #expect(refunded == offer.total, "the last refund leaves nothing of any part")
    }

    @Test("Each part is its share rounded down, except the goods, which take the rest as far as they go")
    func shares() throws {
        let offer = try Shop.totals()  // 100.00 − 5.00 + 8.00 + 6.00 = 109.00
        let half = try #require(offer.parts(of: 5_000))
        #expect((half.tax, half.shipping, half.discount, half.subtotal) == (275, 366, 229, 4_588))
        let bare = try Shop.totals(subtotal: 0, discount: 0, shipping: 1, tax: 1)
        let one = try #require(bare.parts(of: 1))
        #expect((one.shipping, one.tax, one.subtotal) == (1, 0, 0), "there are no goods to take it")
        let discounted = try Shop.totals(subtotal: 500, discount: 500, shipping: 0, tax: 3)
        let fen = try #require(discounted.parts(of: 1))
        #expect((fen.tax, fen.subtotal, fen.discount) == (1, 166, 166))
    }

    @Test("All of the total is all of each part, and what exceeds it is goods")
    func above() throws {
        let offer = try Shop.totals()
        #expect(offer.parts(of: offer.total) == offer)
        let more = try #require(offer.parts(of: offer.total + 1_500))
        #expect(more.subtotal == offer.subtotal + 1_500 && more.total == offer.total + 1_500)
        #expect((more.tax, more.shipping, more.discount) == (offer.tax, offer.shipping, offer.discount))
        let discounted = try Shop.totals(subtotal: 600, discount: 500, shipping: 0, tax: 0)
        #expect(discounted.parts(of: .max) == nil, "goods before the discount would exceed 64 bits")
    }

    @Test("Lines that the shop gives back must be left, and the last refund takes all")
    func given() throws {
        let offer = try Shop.totals()
        #expect(offer.hasLeft(try Shop.totals(subtotal: 5_000, discount: 0, shipping: 0, tax: 300)))
        #expect(!offer.hasLeft(try Shop.totals(subtotal: 5_000, discount: 0, shipping: 0, tax: 601)))
        #expect(!offer.hasLeft(try Shop.totals(subtotal: 9_501, discount: 0, shipping: 0, tax: 0)), "goods are 95.00")
        #expect(!offer.hasLeft(try Shop.totals(subtotal: 9_500, discount: 0)), "a discount of 5.00 would be left")
        #expect(offer.hasLeft(offer))
    }
}
