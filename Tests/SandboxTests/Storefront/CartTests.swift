import Contracts
import OrchardJSON
import Testing

@testable import SandboxDemo

@Suite("Carts")
struct CartTests {
    @Test("an order has the shop's own names and prices, whatever the page shows")
    func order() throws {
        let cart = try Cart(
            parsing: Array(#"{"items":[{"id":"oolong","quantity":2},{"quantity":1,"id":"sample"}]}"#.utf8))
        let order = cart.order(reference: "web-1", expiresAt: "2026-11-25T12:00:00Z")
        #expect(
            order["lines"] == [
                ["label": "Mountain oolong", "quantity": 2, "unitAmount": "45.00"],
                ["label": "<img src=x onerror=alert(1)> sample", "quantity": 1, "unitAmount": "1.50"],
            ])
        #expect(order["currency"] == "CNY")
        #expect(order["reference"] == "web-1")
        #expect(order["expiresAt"] == "2026-11-25T12:00:00Z")
        #expect(order["coupons"]?.array?.count == 3)
        #expect(order["shippingMethods"]?.array?.count == 2)
    }

    @Test("every product has a price of the currency and a name of its own")
    func catalogue() throws {
        let currency = try #require(Currency(Catalogue.currency))
        for product in Catalogue.products {
            #expect(Money(decimal: product.price, currency: currency) != nil, "\(product.id)")
        }
        #expect(Set(Catalogue.products.map(\.id)).count == Catalogue.products.count)
    }

    @Test(
        "what is no cart is refused, and the reason names the place",
        arguments: [
            ("", "syntax"), ("[]", "type"), ("{}", "missing"), (#"{"items":[]}"#, "empty"),
            (#"{"items":{}}"#, "type"), (#"{"items":[{"id":"oolong"}]}"#, "quantity"),
            (#"{"items":[{"id":"oolong","quantity":0}]}"#, "1 to 20"),
            (#"{"items":[{"id":"oolong","quantity":21}]}"#, "1 to 20"),
            (#"{"items":[{"id":"oolong","quantity":1e1}]}"#, "quantity"),
            (#"{"items":[{"id":"oolong","quantity":-1}]}"#, "1 to 20"),
            (#"{"items":[{"id":"gold","quantity":1}]}"#, "no product"),
            (#"{"items":[{"id":"oolong","quantity":1},{"id":"oolong","quantity":1}]}"#, "twice"),
            (#"{"items":[{"id":"oolong","quantity":1,"price":"0.01"}]}"#, "price"),
            (#"{"items":[{"id":"oolong","quantity":1}],"total":"0.01"}"#, "total"),
            (#"{"items":[{"id":"oolong","id":"cup","quantity":1}]}"#, "duplicate"),
            ("{\"items\":[" + String(repeating: "[", count: 100) + "]}", "items"),
            ("{\"items\":[" + String(repeating: #"{"id":"x"},"#, count: 1_000) + "]}", "items"),
        ])
    func refused(_ text: String, _ reason: String) {
        let error = #expect(throws: JSONError.self) { try Cart(parsing: Array(text.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test("a repeated request opens the same order: its end stays what it was")
    func ends() {
        var keys = RecentKeys()
        let (first, later) = (Timestamp(seconds: 1_000), Timestamp(seconds: 2_000))
        #expect(keys.end(of: "a", otherwise: first) == first)
        #expect(keys.end(of: "a", otherwise: later) == first)
        for number in 0..<RecentKeys.capacity { _ = keys.end(of: "\(number)", otherwise: later) }
        // It remembers so many only.
        #expect(keys.end(of: "a", otherwise: later) == later)
        #expect(keys.end(of: "\(RecentKeys.capacity - 1)", otherwise: first) == later)
    }
}
