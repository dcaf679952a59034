import Foundation
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
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
            var target = "/v1/orders"
            var (order, bearer) = ("", Shop.apiKey)
            var answer: JSONValue?
            for block in blocks {
                guard block.name != "answer" else {
                    let shown = try JSONValue(parsing: Array(block.text.utf8))
                    #expect(Page.faults(answer, shown, "answer") == [], "docs/orders.md:\(block.line)")
                    continue
                }
                if block.name != "order" { target = "/v1/orders/\(order)/\(block.name)" }
                let response = try await shop.send(.post, target, bearer: bearer, body: Array(block.text.utf8))
                #expect(response.status.code < 300, "docs/orders.md:\(block.line): \(response.text)")
                answer = try response.json
                order = answer?["orderId"]?.string ?? order
                bearer = answer?["ticket"]?.string ?? bearer
            }
        }
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
