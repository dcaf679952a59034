import Contracts
import OrchardCrypto
import OrchardHTTPTypes
import OrchardJSON

/// What a customer does with an order: the ticket is the credential. order-ledger checks it, and whether it is this
/// order's, before the shop does anything with its own key.
extension ShopOrders {
    /// The order as its customer may see it: order-ledger's answer to the ticket. It has no contact.
    func show(_ order: OrderID, _ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        try await ask(.get, "/v1/orders/\(order)", as: Self.ticket(request))
    }

    /// Everything that happened to the order.
    func timeline(_ order: OrderID, _ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        if let refusal = try await refusal(order, request) { return refusal }
        return try await ask(.get, "/v1/orders/\(order)/timeline", as: apiKey)
    }

    /// Gives money back: all that is left, or an amount.
    func refund(_ order: OrderID, _ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        try request.requireContentType("application/json")
        let amount: String?
        do throws(JSONError) { amount = try Self.amount(parsing: request.body) } catch { throw .malformed(error) }
        let key = try Self.idempotencyKey(request)
        if let refusal = try await refusal(order, request) { return refusal }
        let body = JSONValue.object(
            [JSONMember("reason", "The customer asked for it")]
                + (amount.map { [JSONMember("amount", .string($0))] } ?? []))
        return try await ask(
            .post, "/v1/orders/\(order)/refunds", as: apiKey, fields: [("Idempotency-Key", key)], body: body.bytes)
    }

    /// How a refund goes, so that the page can wait for its end.
    func command(_ command: CommandID, of order: OrderID, _ request: HTTPRequest) async throws(Problem) -> HTTPResponse
    {
        if let refusal = try await refusal(order, request) { return refusal }
        let wait = request.queryValue("wait").flatMap { Int($0) } ?? 0
        guard (0...25).contains(wait) else {
            throw Problem(.badRequest, code: "invalid-wait", detail: "wait is a number of seconds from 0 to 25")
        }
        return try await ask(.get, "/v1/orders/\(order)/commands/\(command)?wait=\(wait)", as: apiKey)
    }

    /// Asks the gateway to close an order that is not paid. The ticket alone may do it.
    func cancel(_ order: OrderID, _ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        let body = JSONValue.object([JSONMember("reason", "customer")])
        return try await ask(.post, "/v1/orders/\(order)/cancel", as: Self.ticket(request), body: body.bytes)
    }

    /// order-ledger's answer when it does not let the ticket see the order; nil when it does.
    private func refusal(_ order: OrderID, _ request: HTTPRequest) async throws(Problem) -> HTTPResponse? {
        let shown = try await show(order, request)
        return shown.status == .ok ? nil : shown
    }

    private static func ticket(_ request: HTTPRequest) throws(Problem) -> String {
        guard let ticket = request.bearerToken, ticket.utf8.count <= 8_192 else {
            throw Problem(
                .unauthorized, code: "ticket-missing", detail: "send the order's ticket as Authorization: Bearer",
                fields: ["WWW-Authenticate": "Bearer"])
        }
        return String(ticket)
    }

    /// The key of a request that must not be done twice. The page's own text goes nowhere: its hash does.
    static func idempotencyKey(_ request: HTTPRequest) throws(Problem) -> String {
        guard let key = request.fields["Idempotency-Key"], (1...255).contains(key.utf8.count) else {
            throw Problem(
                .badRequest, code: "idempotency-key-missing",
                detail: "send an Idempotency-Key of 1 to 255 characters: a repeated request then does nothing twice")
        }
        return Hex.encode(SHA256.hash(Array(key.utf8)))
    }

    /// The body of a refund: nothing, or `{"amount": "12.50"}`.
    private static func amount(parsing bytes: [UInt8]) throws(JSONError) -> String? {
        guard !bytes.isEmpty else { return nil }
        return try JSONReader.read(bytes, maximumDepth: 2, maximumValues: 4) { reader throws(JSONError) in
            var amount: String?
            try reader.object { reader, name throws(JSONError) in
                guard name == "amount" else { throw reader.unknownMember() }
                amount = try reader.string(upTo: 24)
            }
            return amount
        }
    }
}
