import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Pricing an offer")
struct OfferTests {
    @Test("The total is goods less discounts, plus shipping and tax")
    func totals() throws {
        let offer = try Offer(Shop.request, revision: 1)
        #expect(offer.totals == (try Shop.totals()))
        #expect(offer.totals.total == 10_900)
        #expect(offer.shippingMethod?.identifier == "post")
    }

    @Test("Another way of shipping changes price and tax")
    func reprice() throws {
        let offer = try Offer(Shop.request, revision: 2, OfferChoice(shippingMethod: "courier"))
        #expect(offer.totals == (try Shop.totals(shipping: 2_000, tax: 720)))
        guard case .orderRepriced(let fact) = offer.fact(order: Shop.order, merchant: Shop.otherMerchant, partitions: 4)
        else { return #expect(Bool(false), "the second revision reprices") }
        #expect(fact.revision == 2)
        #expect(fact.shippingMethod == "courier")
    }

    @Test("A coupon that the order does not have is refused", arguments: [0, 1, -1, Int.max, Int.min])
    func coupon(_ number: Int) throws {
        #expect {
            try Offer(Shop.request, revision: 1, OfferChoice(shippingMethod: "post", coupon: number))
        } throws: {
            ($0 as? OfferError)?.code == .unknownCoupon
        }
    }

    @Test("Goods that are not shipped need no method")
    func digital() throws {
        let request = OfferRequest(currency: .cny, lines: [OfferLine(label: "Song", unitAmount: 800)])
        let offer = try Offer(request, revision: 1)
        #expect(offer.shippingMethod == nil)
        #expect(offer.totals.total == 800)
    }

    @Test(
        "A request that cannot be offered names the member",
        arguments: [
            (
                [OfferLine(label: "a", unitAmount: .max, quantity: 2)], Int64(0), OfferError.Code.amountTooLarge,
                "lines[0].unitAmount"
            ),
            (
                [OfferLine(label: "a", unitAmount: .max), OfferLine(label: "b", unitAmount: 1)], 0, .amountTooLarge,
                "lines[1].unitAmount"
            ),
            ([OfferLine(label: "a", unitAmount: .max, tax: 1)], 0, .amountTooLarge, "lines"),
            ([OfferLine(label: "a", unitAmount: .max, tax: 9)], .max - 1, .amountTooLarge, "lines"),
            ([OfferLine(label: "a", unitAmount: 100)], 101, .discountTooLarge, "discounts"),
            ([OfferLine(label: "a", unitAmount: 100)], 100, .nothingDue, "lines"),
            ([OfferLine(label: "a", unitAmount: 5_000_001)], 0, .aboveLimit, "lines"),
        ])
    func refusals(_ lines: [OfferLine], _ discount: Int64, _ code: OfferError.Code, _ field: String) {
        let request = OfferRequest(
            currency: .cny, lines: lines, discounts: discount > 0 ? [OfferDiscount(label: "d", amount: discount)] : [])
        let limit = code == .aboveLimit ? Money(minorUnits: 5_000_000, currency: .cny) : nil
        let error = #expect(throws: OfferError.self) { try Offer(request, revision: 1, maximum: limit) }
        #expect(error?.code == code)
        #expect(error?.field == field)
    }

    @Test("A shipping method that the order does not have is refused")
    func unknownMethod() {
        let error = #expect(throws: OfferError.self) {
            try Offer(Shop.request, revision: 2, OfferChoice(shippingMethod: "rocket"))
        }
        #expect(error?.code == .unknownShippingMethod)
    }

    @Test("The ticket contains the offer and is valid for whole seconds")
    func ticket() throws {
        let merchant = try #require(Shop.merchant)
        let offer = try Offer(Shop.request, revision: 3, OfferChoice(shippingMethod: "courier"))
        let ticket = try #require(
            offer.ticket(
                order: Shop.order, merchant: merchant, partitions: 4,
                at: Timestamp(microseconds: 1_700_000_000_999_999), lifetime: .seconds(600)))
        #expect(ticket.issuedAt == Timestamp(seconds: 1_700_000_000))
        #expect(ticket.expiresAt == Timestamp(seconds: 1_700_000_600))
        #expect(ticket.revision == 3)
        #expect(ticket.amount == offer.totals.amount)
        #expect(ticket.shippingMethod == "courier")
        #expect(ticket.linesDigest == Shop.request.linesDigest)
        #expect(ticket.networks == merchant.networks)
    }
}
