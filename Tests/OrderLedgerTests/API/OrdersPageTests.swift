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
    /// A block `json NAME` of the page.
    private struct Block {
        let name: String
        let line: Int
        var text = ""
    }

    @Test("shows what the service answers")
    func requests() async throws {
        let blocks = try Self.blocks()
        #expect(blocks.count >= 10)
        try await TestShop.with { shop in
            var target = "/v1/orders"
            var (order, bearer) = ("", Shop.apiKey)
            var answer: JSONValue?
            for block in blocks {
                guard block.name != "answer" else {
                    let shown = try JSONValue(parsing: Array(block.text.utf8))
                    #expect(Self.faults(answer, shown, "answer") == [], "docs/orders.md:\(block.line)")
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
        let page = try Self.page()
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

    private static func page() throws -> String {
        try String(contentsOf: Checkout.root.appending(path: "docs/orders.md"), encoding: .utf8)
    }

    private static func blocks() throws -> [Block] {
        var blocks: [Block] = []
        var isOpen = false
        for (index, line) in try page().split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```json ") {
                isOpen = true
                blocks.append(Block(name: String(line.dropFirst(8)), line: index + 1))
            } else if line.hasPrefix("```") {
                isOpen = false
            } else if isOpen {
                blocks[blocks.count - 1].text += line + "\n"
            }
        }
        return blocks
    }

    /// Where a value is not as the page shows it; it may have more members.
    private static func faults(_ value: JSONValue?, _ shown: JSONValue, _ path: String) -> [String] {
        switch shown {
        case .string("…"): return value == nil ? ["\(path) is missing"] : []
        case .object(let members): return members.flatMap { faults(value?[$0.name], $0.value, "\(path).\($0.name)") }
        case .array(let elements):
            guard value?.array?.count == elements.count else { return ["\(path) has other elements"] }
            return elements.enumerated().flatMap { faults(value?[$0.offset], $0.element, "\(path)[\($0.offset)]") }
        default: return value == shown ? [] : ["\(path) is \(value.map { "\($0)" } ?? "missing")"]
        }
    }
}
