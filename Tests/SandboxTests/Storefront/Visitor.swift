import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import TestSupport
import Testing

/// A page of the shop, without a browser: it sends what the page sends.
struct Visitor: Sendable {
    let client: HTTPClient
    /// The shop's origin.
    let origin: String
    let ledger, ingest, sessionServer: String

    struct Answer: Sendable {
        let status: Int
        let fields: HTTPFields
        let bytes: [UInt8]

        var json: JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }
        var code: String { json["code"]?.string ?? "" }
    }

    /// An order as the page holds it.
    struct Order: Sendable {
        let id: String
        var ticket: String
        let applicationData: String
        var total: String
    }

    /// Where the customer lives.
    static let contact: JSONValue = [
        "addressLines": ["1 Nanjing Road"], "administrativeArea": "上海市", "countryCode": "CN",
        "emailAddress": "mei@example.com", "familyName": "Li", "givenName": "Mei", "locality": "上海市",
        "phoneNumber": "+8613800000000", "postalCode": "200000",
    ]

    init(client: HTTPClient, origin: String) async throws {
        let config = try await Self.send(client, .get, "\(origin)/api/config").json
        self.client = client
        self.origin = origin
        ledger = try #require(config["ledger"]?.string)
        ingest = try #require(config["ingest"]?.string)
        sessionServer = try #require(config["sessionServer"]?.string)
    }

    /// Sends a request; a path goes to the shop.
    func send(
        _ method: HTTPMethod, _ target: String, ticket: String? = nil, _ body: JSONValue? = nil,
        fields: [String: String] = [:]
    ) async throws -> Answer {
        var all = ["Origin": origin]
        if let ticket { all["Authorization"] = "Bearer \(ticket)" }
        return try await Self.send(
            client, method, target.hasPrefix("/") ? origin + target : target, body,
            all.merging(fields) { _, new in new })
    }

    /// Opens an order of one product, and says where it goes.
    func open(_ product: String = "oolong", quantity: Int64 = 1) async throws -> Order {
        let opened = try await send(
            .post, "/api/orders", ["items": [["id": .string(product), "quantity": .integer(quantity)]]],
            fields: ["Idempotency-Key": UUID().uuidString])
        try #require(opened.status == 201, "\(opened.json)")
        var order = Order(
            id: try #require(opened.json["orderId"]?.string), ticket: try #require(opened.json["ticket"]?.string),
            applicationData: try #require(opened.json["paymentRequest"]?["applicationData"]?.string), total: "")
        let priced = try await send(
            .post, "\(ledger)/v1/orders/\(order.id)/shipping-contact", ticket: order.ticket,
            ["shippingContact": ["administrativeArea": "上海市", "countryCode": "CN", "locality": "上海市"]])
        order.ticket = try #require(priced.json["ticket"]?.string, "\(priced.json)")
        order.total = try #require(priced.json["shippingContactUpdate"]?["newTotal"]?["amount"]?.string)
        return order
    }

    /// Asks for a merchant session as `onvalidatemerchant` does.
    func session(of order: Order, at url: String? = nil, origin: String? = nil) async throws -> Answer {
        try await send(
            .post, "\(ingest)/v1/apple-pay/session", ticket: order.ticket,
            ["validationURL": .string(url ?? sessionServer)], fields: origin.map { ["Origin": $0] } ?? [:])
    }

    /// Authorises the sheet with a card.
    func token(of order: Order, card: String) async throws -> JSONValue {
        let answer = try await send(
            .post, "/sandbox/token",
            [
                "card": .string(card), "amount": .string(order.total), "currency": "CNY",
                "merchantIdentifier": "merchant.example.orchard.tea",
                "applicationData": .string(order.applicationData), "session": try await session(of: order).json,
            ])
        try #require(answer.status == 200, "\(answer.json)")
        return answer.json
    }

    /// Sends a token.
    func pay(_ order: Order, with token: JSONValue) async throws -> Answer {
        try await send(
            .post, "\(ingest)/v1/payments", ticket: order.ticket, ["shippingContact": Self.contact, "token": token])
    }

    /// Pays, and waits for the outcome.
    func outcome(of order: Order, card: String) async throws -> JSONValue {
        let accepted = try await pay(order, with: token(of: order, card: card))
        let payment = try #require(accepted.json["paymentId"]?.string, "\(accepted.json)")
        var answer = JSONValue.null
        try await eventually {
            answer = try await send(
                .get, "\(ledger)/v1/orders/\(order.id)/payments/\(payment)?wait=25", ticket: order.ticket
            ).json
            return answer["final"] == true
        }
        return answer
    }

    private static func send(
        _ client: HTTPClient, _ method: HTTPMethod, _ url: String, _ body: JSONValue? = nil,
        _ fields: [String: String] = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(method: method, url: url, body: body?.bytes ?? [], timeout: .seconds(40))
        if body != nil { request.fields["Content-Type"] = "application/json" }
        for (name, value) in fields { request.fields[name] = value }
        guard case .answered(let answer) = await client.send(request) else {
            throw NoAnswer(url: url)
        }
        return Answer(
            status: answer.response.status.code, fields: answer.response.fields, bytes: answer.response.body)
    }

    struct NoAnswer: Error {
        let url: String
    }
}
