import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import TestSupport
import Testing

@Suite("The shop with real services behind it", .timeLimit(.minutes(4)))
struct StorefrontTests {
    /// Starts `sandbox shop`, lets a visitor in, and ends it as Ctrl-C does.
    private func visit(_ options: [String] = [], _ body: @Sendable (Visitor) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let shop = try TestProcess(
            "sandbox", ["shop", "--port", "0", "--run", folder.url.path] + options, ProcessInfo.processInfo.environment)
        var origin = ""
        try await shop.until {
            origin = shop.log.firstMatch(of: #/the shop +(http:\/\/localhost:\d+)\//#).map { String($0.output.1) } ?? ""
            return shop.log.contains("until Ctrl-C") && !origin.isEmpty
        }
        let client = HTTPClient(logger: Logger(label: "visitor"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            try await body(Visitor(client: client, origin: origin))
        }
        shop.signal(SIGINT)
        #expect(try await shop.status() == 0, "\(shop.log)")
    }

    @Test("a visitor pays, is declined, gets money back and cancels, and the books agree")
    func day() async throws {
        try await visit { shop in
            let paid = try await shop.open("oolong", quantity: 2)
            #expect(paid.total == "98.00")
            #expect(try await shop.outcome(of: paid, card: "everyday")["status"] == "paid")

            let declined = try await shop.open("cup")
            let outcome = try await shop.outcome(of: declined, card: "empty")
            #expect(outcome["status"] == "declined")
            #expect(outcome["reason"] == "insufficientFunds")

            // The acquirer's answer is lost: the gateway asks, and pays once.
            let silent = try await shop.open("cup")
            #expect(try await shop.outcome(of: silent, card: "silent")["status"] == "paid")

            let refund = try await shop.send(
                .post, "/api/orders/\(paid.id)/refunds", ticket: paid.ticket, ["amount": "10.00"],
                fields: ["Idempotency-Key": "refund"])
            #expect(refund.status == 202, "\(refund.json)")
            let command = try #require(refund.json["commandId"]?.string)
            let done = try await shop.send(
                .get, "/api/orders/\(paid.id)/commands/\(command)?wait=25", ticket: paid.ticket)
            #expect(done.json["status"] == "done", "\(done.json)")
            let cancel = try await shop.send(
                .post, "/api/orders/\(declined.id)/cancel", ticket: declined.ticket, [:])
            #expect(cancel.status == 202, "\(cancel.json)")

            let order = try await shop.send(.get, "/api/orders/\(paid.id)", ticket: paid.ticket).json
            #expect(order["status"] == "paid")
            #expect(order["amounts"]?["refunded"] == 1_000)
            let timeline = try await shop.send(.get, "/api/orders/\(paid.id)/timeline", ticket: paid.ticket)
            #expect(timeline.status == 200)

            let books = try await shop.send(.get, "/api/books").json
            #expect(books["agree"] == true, "\(books)")
            #expect(books["audit"]?["exit"] == 0)
            for name in ["acquirer", "gateway", "ledger"] {
                #expect(books[name]?["taken"] == "125.00", "\(name)")
                #expect(books[name]?["returned"] == "10.00", "\(name)")
            }
            try await checkBehind(shop, paid, declined)
        }
    }

    /// Facts, commands, entries and webhooks of both orders are told, each in its window.
    private func checkBehind(_ shop: Visitor, _ paid: Visitor.Order, _ declined: Visitor.Order) async throws {
        let ways = [
            (
                paid,
                [
                    "order.opened", "contact.received", "charge.requested", "payment.accepted", "payment.succeeded",
                    "entries.booked", "order.paid", "refund.requested", "refund.succeeded", "order.refunded",
                ]
            ),
            (declined, ["payment.declined", "order.declined", "cancel.requested", "order.closed"]),
        ]
        for (order, kinds) in ways {
            var (found, last) = (Set<String>(), "")
            try await eventually {
                let answer = try await shop.send(
                    .get, "/api/behind?order=\(order.id)", fields: last.isEmpty ? [:] : ["Last-Event-ID": last])
                let text = String(decoding: answer.bytes, as: UTF8.self)
                #expect(!text.contains("4289") && !text.contains("Nanjing") && !text.contains("mei@"))
                for line in text.split(separator: "\n") {
                    if line.hasPrefix("id: ") { last = String(line.dropFirst(4)) }
                    guard line.hasPrefix("data: ") else { continue }
                    let event = try JSONValue(parsing: Array(line.utf8.dropFirst(6)))
                    #expect(event["order"]?.string == order.id)
                    found.insert(event["kind"]?.string ?? "")
                }
                return found.isSuperset(of: kinds)
            }
        }
    }

    @Test("what no page of the shop may do is refused, and nobody pays by it")
    func hostile() async throws {
        try await visit { shop in
            let (order, other) = (try await shop.open("cup"), try await shop.open("cup"))
            // Sessions: another host, no TLS, another port, no address; a page elsewhere.
            for (url, reason) in [
                ("https://evil.example/paymentservices/paymentSession", "hostUnknown"),
                (shop.sessionServer.replacing("https:", with: "http:"), "notHTTPS"),
                ("https://localhost:1/paymentservices/paymentSession", "portUnknown"),
                (shop.sessionServer + "/../other", "pathUnknown"), ("localhost", "urlMalformed"),
            ] {
                let answer = try await shop.session(of: order, at: url)
                #expect(answer.status == 422)
                #expect(answer.json["reason"]?.string == reason, "\(url): \(answer.json)")
            }
            let foreign = try await shop.session(of: order, origin: "https://evil.example")
            #expect(foreign.code == "origin-refused")
            #expect(foreign.fields["Access-Control-Allow-Origin"] == nil)
            let evil = ["Origin": "https://evil.example"]
            for path in ["/api/products", "/api/books", "/api/behind", "/sandbox/cards"] {
                #expect(try await shop.send(.get, path, fields: evil).code == "origin-refused", "\(path)")
            }

            // A token of the page's own log, sent again and for another order.
            let token = try await shop.token(of: order, card: "everyday")
            let first = try await shop.pay(order, with: token)
            #expect(first.status == 202, "\(first.json)")
            #expect(try await shop.pay(order, with: token).json == first.json)
            #expect(try await shop.pay(other, with: token).json["reason"] == "applicationDataDiffers")

            // A ticket of another order, and none.
            for (method, path) in [
                (HTTPMethod.get, ""), (.get, "/timeline"), (.post, "/refunds"), (.post, "/cancel"),
            ] {
                let body: JSONValue? = method == .post ? [:] : nil
                let key = ["Idempotency-Key": "k"]
                let target = "/api/orders/\(order.id)\(path)"
                let stolen = try await shop.send(method, target, ticket: other.ticket, body, fields: key)
                #expect(stolen.status == 404, "\(path): \(stolen.json)")
                #expect(stolen.code == "no-such-order")
                let none = try await shop.send(method, target, body, fields: key)
                #expect(none.code == "ticket-missing", "\(path): \(none.json)")
            }
            #expect(try await shop.outcome(of: other, card: "everyday")["status"] == "paid")
            let books = try await shop.send(.get, "/api/books").json
            #expect(books["acquirer"]?["taken"] == "54.00", "\(books)")
            #expect(books["agree"] == true)
        }
    }
}
