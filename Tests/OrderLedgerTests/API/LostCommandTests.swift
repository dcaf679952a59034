import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("Refunds whose commands were lost with a database", .timeLimit(.minutes(5)))
struct LostCommandTests {
    private static let pieces = #"{"lines":[{"line":0,"quantity":2}]}"#

    /// A paid order of which the shop refunded pieces, and whose command the database does not have.
    private static func refunded(_ shop: TestShop, _ end: FollowUpEvent, parts: Bool = true) async throws
        -> TestShop.Opened
    {
        let order = try await FollowUpTests.paid(shop)
        let answer = try await FollowUpTests.ask(shop, order, "refunds", pieces)
        let command = try #require(try answer.json["commandId"]?.string.flatMap { CommandID($0) })
        let totals = try #require(OfferTotals(currency: .cny, subtotal: 10_000, discount: 500, shipping: 0, tax: 600))
        let facts = [FollowUpEvent.accepted, end].enumerated().map { index, event in
            Fact.followUp(
                FollowUpFact(
                    order: order.id, merchant: order.history.merchant, payment: Shop.paymentID(1), kind: .refund,
                    cause: .command(command), transition: Int64(index + 1), amount: totals.amount,
                    parts: parts ? totals : nil, event: event))
        }
        try await shop.ledger.fold(facts, from: 3, partition: order.partition)
        try await shop.ledger.owner.execute("DELETE FROM ledger.commands")
        return order
    }

    @Test("tell that pieces came back and not which: what is left is refunded by its amount")
    func unknownPieces() async throws {
        try await TestShop.with { shop in
            let order = try await Self.refunded(shop, .succeeded)
            let again = try await FollowUpTests.ask(shop, order, "refunds", Self.pieces)
            #expect(again.status == .conflict, "\(again.text)")
            #expect(try again.json["code"]?.string == "goods-unknown")
            let rest = try await FollowUpTests.ask(shop, order, "refunds", #"{"amount":"1.00"}"#)
            #expect(rest.status == .accepted, "\(rest.text)")
        }
    }

    @Test("gave nothing back when they failed, and no pieces when they were of an amount", arguments: [true, false])
    func knownPieces(hasFailed: Bool) async throws {
        try await TestShop.with { shop in
            let order = try await Self.refunded(
                shop, hasFailed ? .failed(.refused, nil) : .succeeded, parts: hasFailed)
            let again = try await FollowUpTests.ask(shop, order, "refunds", Self.pieces)
            if hasFailed {
                #expect(again.status == .accepted, "\(again.text)")
            } else {
                #expect(try again.json["code"]?.string == "amount-above-refundable", "\(again.text)")
            }
        }
    }

    @Test("are not decided beside until the journal is folded as far as the lost database may have been")
    func catchingUp() async throws {
        try await TestShop.with { shop in
            let order = try await FollowUpTests.paid(shop)
            try await shop.ledger.owner.execute("UPDATE ledger.inbox_watermarks SET mark = next_offset + 1")
            let answer = try await FollowUpTests.ask(shop, order, "refunds", Self.pieces)
            #expect(answer.status == .serviceUnavailable, "\(answer.text)")
            #expect(try answer.json["code"]?.string == "order-unknown-yet")
            try await shop.ledger.owner.execute("UPDATE ledger.inbox_watermarks SET mark = next_offset")
            #expect(try await FollowUpTests.ask(shop, order, "refunds", Self.pieces).status == .accepted)
        }
    }
}
