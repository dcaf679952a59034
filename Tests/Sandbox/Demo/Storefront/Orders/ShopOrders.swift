import Contracts
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit

/// The shop's back end: what it asks order-ledger with its API key, which no page ever gets.
struct ShopOrders: Sendable {
    let client: HTTPClient
    /// The address of order-ledger.
    let ledger: String
    let apiKey: String
    /// How long an order may be paid.
    let lifetime: Duration
    /// When the order of an idempotency key ends: a repeated request must be the same request.
    private let ends = Locked<RecentKeys>(RecentKeys())

    init(client: HTTPClient, ledger: String, apiKey: String, lifetime: Duration) {
        self.client = client
        self.ledger = ledger
        self.apiKey = apiKey
        self.lifetime = lifetime
    }

    /// Opens the order of a cart. The answer is order-ledger's, as it is.
    ///
    /// - Throws: 400 and 415 for what is no cart, 400 without `Idempotency-Key`.
    func open(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        try request.requireContentType("application/json")
        let key = try Self.idempotencyKey(request)
        let cart: Cart
        do throws(JSONError) { cart = try Cart(parsing: request.body) } catch { throw .malformed(error) }
        let end = ends.withLock { $0.end(of: key, otherwise: .now + lifetime) }
        let order = cart.order(reference: "web-\(key.prefix(8))", expiresAt: end.description)
        return try await ask(.post, "/v1/orders", as: apiKey, fields: [("Idempotency-Key", key)], body: order.bytes)
    }

    /// Asks order-ledger, and gives its answer back as it is.
    ///
    /// - Throws: 502 when there is none.
    func ask(
        _ method: HTTPMethod, _ path: String, as token: String, fields: [(String, String)] = [], body: [UInt8] = []
    ) async throws(Problem) -> HTTPResponse {
        var request = HTTPClientRequest(method: method, url: ledger + path, body: body, timeout: .seconds(35))
        request.fields["Authorization"] = "Bearer \(token)"
        if method == .post { request.fields["Content-Type"] = "application/json" }
        for (name, value) in fields { request.fields[name] = value }
        guard case .answered(let answer) = await client.send(request) else {
            throw Problem(
                .badGateway, code: "ledger-silent",
                detail: "order-ledger gave no answer; it is safe to send the same request again",
                fields: ["Retry-After": "1"])
        }
        var response = HTTPResponse(status: answer.response.status, body: answer.response.body)
        for name in ["Content-Type", "Retry-After", "Idempotent-Replayed"] {
            response.fields[name] = answer.response.fields[name]
        }
        response.fields["Cache-Control"] = "no-store"
        return response
    }
}

/// The ends of the newest orders, by the hash of their idempotency keys.
struct RecentKeys {
    /// How many are remembered.
    static let capacity = 10_000
    private var ends: [String: Timestamp] = [:]
    private var names: [String] = []

    /// The end that a name has already, or gets now.
    mutating func end(of name: String, otherwise new: Timestamp) -> Timestamp {
        if let end = ends[name] { return end }
        if names.count >= Self.capacity {
            for name in names.prefix(Self.capacity / 2) { ends[name] = nil }
            names.removeFirst(Self.capacity / 2)
        }
        names.append(name)
        ends[name] = new
        return new
    }
}

extension Problem {
    /// A body that is not what the route takes.
    static func malformed(_ error: JSONError) -> Problem {
        Problem(.badRequest, code: "invalid-body", detail: error.description)
    }
}
