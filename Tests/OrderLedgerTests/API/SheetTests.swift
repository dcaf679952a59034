import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The device's sheet")
struct SheetTests {
    private static func choose(
        _ shop: TestShop, _ order: TestShop.Opened, _ method: String, ticket: String? = nil
    ) async throws -> HTTPResponse {
        try await shop.send(
            .post, "/v1/orders/\(order.id)/shipping-method", bearer: ticket ?? order.ticket,
            body: Array(#"{"shippingMethod":"\#(method)"}"#.utf8))
    }

    @Test("Another shipping method gives new totals, a new revision and its ticket")
    func reprice() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let response = try await Self.choose(shop, order, "courier")
            #expect(response.status == .ok, "\(response.text)")
            let json = try response.json
            #expect(json["revision"]?.integer == 2)
            #expect(json["shippingMethodUpdate"]?["newTotal"]?["amount"]?.string == "122.20")
            let ticket = try shop.tickets.verify(try #require(json["ticket"]?.string), for: .charging)
            #expect(ticket.revision == 2)
            #expect(ticket.amount.minorUnits == 12_220)
            #expect(ticket.shippingMethod == "courier")
            let types = try await shop.ledger.owner.query(
                "SELECT substring(headers FROM 'ce_type: ([^\n]*)') AS type FROM ledger.outbox ORDER BY position")
            #expect(
                try types.map { try $0.string("type") } == ["orchard.order.opened.v1", "orchard.order.repriced.v1"])
        }
    }

    @Test("Choosing the method in force gives a fresh ticket and no new revision")
    func unchanged() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let response = try await Self.choose(shop, order, "post")
            #expect(try response.json["revision"]?.integer == 1)
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.outbox").count == 1)
        }
    }

    @Test("Concurrent callbacks make revisions one after the other")
    func concurrent() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for method in ["courier", "post", "courier", "post"] {
                    group.addTask {
                        // A ticket of an older revision cannot change the price any more.
                        let response = try await Self.choose(shop, order, method)
                        #expect(response.status == .ok || response.status == .conflict)
                    }
                }
                try await group.waitForAll()
            }
            let rows = try await shop.ledger.owner.query("SELECT revision FROM ledger.offers ORDER BY revision")
            let revisions = try rows.map { try $0.int64("revision") }
            #expect(revisions == Array(1...Int64(revisions.count)))
            try await shop.journal(order)
            let report = try await shop.ledger.audit()
            #expect(report.errors == 0 && report.warnings == 0, "\(report.text)")
        }
    }

    @Test("An unknown method, an expired ticket, another order's ticket and a closed order are refused")
    func refusals() async throws {
        try await TestShop.with { shop in
            let (order, other) = (try await shop.open(), try await shop.open())
            let unknown = try await Self.choose(shop, order, "rocket")
            #expect(unknown.status == .unprocessableContent)
            #expect(try unknown.json["field"]?.string == "shippingMethod")
            let foreign = try await Self.choose(shop, order, "courier", ticket: other.ticket)
            #expect(foreign.status == .notFound)
            let key = try await Self.choose(shop, order, "courier", ticket: Shop.apiKey)
            #expect(key.status == .unauthorized)
            shop.wait(.seconds(601))
            let expired = try await Self.choose(shop, order, "courier")
            #expect(expired.status == .unauthorized)
            #expect(try expired.json["code"]?.string == "ticket-expired")
        }
    }

    @Test("An expired ticket is exchanged for a fresh one of the same revision while the order is open")
    func exchange() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            shop.wait(.seconds(3_600))
            let response = try await shop.send(.post, "/v1/orders/\(order.id)/ticket", bearer: order.ticket)
            #expect(response.status == .ok, "\(response.text)")
            let fresh = try #require(try response.json["ticket"]?.string)
            let ticket = try shop.tickets.verify(fresh, for: .charging)
            #expect(ticket.revision == 1 && ticket.amount.minorUnits == 10_900)
            // 24 hours later it cannot be exchanged any more.
            shop.wait(.seconds(24 * 3_600 + 600))
            let late = try await shop.send(.post, "/v1/orders/\(order.id)/ticket", bearer: fresh)
            #expect(late.status == .unauthorized)
        }
    }

    @Test("An old, cheaper offer cannot be kept alive")
    func superseded() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            _ = try await Self.choose(shop, order, "courier")
            let response = try await shop.send(.post, "/v1/orders/\(order.id)/ticket", bearer: order.ticket)
            #expect(response.status == .conflict)
            #expect(try response.json["code"]?.string == "ticket-superseded")
            #expect(try response.json["revision"]?.integer == 2)
        }
    }

    @Test("A closed order issues no tickets")
    func closed() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await shop.journal(order, [order.history.closed(.cancelled)])
            for response in [
                try await Self.choose(shop, order, "courier"),
                try await shop.send(.post, "/v1/orders/\(order.id)/ticket", bearer: order.ticket),
            ] {
                #expect(response.status == .conflict)
                #expect(try response.json["code"]?.string == "order-closed")
                #expect(try response.json["orderStatus"]?.string == "cancelled")
            }
        }
    }
}
