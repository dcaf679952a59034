import Contracts
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON
import SandboxSessions
import TestSupport

@testable import TokenIngest

/// A page of a shop whose token-ingest asks a server that plays Apple's.
struct SessionPage {
    static let origin = "https://tea.example"

    let shop: Shop
    let apple: SessionServer

    /// Runs both while `body` runs.
    static func run(
        maximumSessions: Int = 10, ticketLimit: Int = 0, _ body: (SessionPage) async throws -> Void
    ) async throws {
        let apple = try SessionServer(wallet: Shop.sharedWallet())
        let shop = try Shop(ticketLimit: ticketLimit, sessions: apple, maximumSessions: maximumSessions)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await apple.run() }
            group.addTask { try await shop.client.run() }
            defer { group.cancelAll() }
            try await body(SessionPage(shop: shop, apple: apple))
        }
    }

    /// What Apple's event gives the page.
    var validationURL: String { "https://localhost:\(apple.port)/paymentservices/paymentSession" }

    /// Asks for a session as a page does.
    ///
    /// - Parameters:
    ///   - url: nil for ``validationURL``.
    ///   - ticket: nil for a fresh one of the first merchant.
    func ask(
        _ url: String? = nil, origin: String? = Self.origin, ticket: String? = nil, body: [UInt8]? = nil
    ) async throws -> HTTPResponse {
        let body = body ?? JSONWriter.object { $0.member("validationURL", url ?? validationURL) }
        var fields: HTTPFields = ["Content-Type": "application/json"]
        fields["Authorization"] = "Bearer \(try ticket ?? shop.ticket(order: Shop.order()))"
        fields["Origin"] = origin
        return try await shop.answer(
            to: HTTPRequest(method: .post, target: "/v1/apple-pay/session", fields: fields, body: body))
    }
}

extension HTTPResponse {
    var json: JSONValue? { try? JSONValue(parsing: body) }

    /// Status, code and reason of a problem.
    var problem: [String?] { ["\(status.code)", json?["code"]?.string, json?["reason"]?.string] }
}
