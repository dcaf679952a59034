import Contracts
import Foundation
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger

/// The requests of docs/orders.md are sent in their order, and each answer has what the page shows.
@Suite("docs/orders.md")
struct OrdersPageTests {
    private let page = Page("docs/orders.md")

    @Test("shows what the service answers")
    func requests() async throws {
        let blocks = try page.blocks
        #expect(blocks.count >= 10)
        try await TestShop.with { shop in
            var (order, ticket) = ("", "")
            var answer: JSONValue?
            for block in blocks {
                let shown = try JSONValue(parsing: Array(block.text.utf8))
                switch block.name {
                case "answer":
                    #expect(Page.faults(answer, shown, "answer") == [], "docs/orders.md:\(block.line)")
                    continue
                case "command":
                    let command = try #require(answer?["commandId"]?.string.flatMap { CommandID($0) })
                    try await Self.capture(shop, order, by: command)
                    let found = try await shop.send(.get, "/v1/orders/\(order)/commands/\(command)").json
                    #expect(Page.faults(found, shown, "command") == [], "docs/orders.md:\(block.line)")
                    continue
                case "finalise": try await Self.authorise(shop, order, ticket)
                default: break
                }
                let target = block.name == "order" ? "/v1/orders" : "/v1/orders/\(order)/\(block.name)"
                let isShops = ["order", "finalise", "refunds"].contains(block.name)
                let response = try await shop.send(
                    .post, target, bearer: isShops ? Shop.apiKey : ticket, body: Array(block.text.utf8))
                #expect(response.status.code < 300, "docs/orders.md:\(block.line): \(response.text)")
                answer = try response.json
                order = answer?["orderId"]?.string ?? order
                ticket = answer?["ticket"]?.string ?? ticket
            }
        }
    }

    /// The charge of an order holds its amount.
    private static func authorise(_ shop: TestShop, _ order: String, _ ticket: String) async throws {
        let opened = TestShop.Opened(id: try #require(OrderID(order)), ticket: ticket, answer: .null)
        let amount = try shop.tickets.verify(ticket, for: .status).amount
        try await shop.journal(opened, opened.history.payment(amount: amount, .accepted, .authorised))
    }

    /// The capture that a command asked for is done.
    private static func capture(_ shop: TestShop, _ order: String, by command: CommandID) async throws {
        let order = TestShop.Opened(id: try #require(OrderID(order)), ticket: "", answer: .null)
        let row = try await shop.ledger.owner.query(
            """
            SELECT c.amount, w.next_offset FROM ledger.commands c JOIN ledger.inbox_watermarks w USING (partition)
            WHERE c.command_id = $1
            """, [command])[0]
        let amount = Money(minorUnits: try row.int64("amount"), currency: .cny)
        let facts = [FollowUpEvent.accepted, .succeeded].enumerated().map { index, event in
            Fact.followUp(
                FollowUpFact(
                    order: order.id, merchant: order.history.merchant, payment: Shop.paymentID(1), kind: .capture,
                    cause: .command(command), transition: Int64(index + 1), amount: amount, event: event))
        }
        try await shop.ledger.fold(facts, from: try row.int64("next_offset"), partition: order.partition)
    }

    @Test("names every member of an order's request")
    func members() throws {
        let page = try page.text
        let source = try String(
            contentsOf: Checkout.root.appending(path: "Services/OrderLedger/Ledger/Offers/OfferRequest+JSON.swift"),
            encoding: .utf8)
        // The cases of the two reading functions.
        let names = source.matches(of: /case ((?:"\w+"(?:, )?)+):/).flatMap { match in
            match.1.matches(of: /"(\w+)"/).map { String($0.1) }
        }
        #expect(names.count > 20)
        #expect(names.filter { !page.contains("`\($0)`") } == [])
    }
}
