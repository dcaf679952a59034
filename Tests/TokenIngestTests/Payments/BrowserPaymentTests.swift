import Contracts
import OrchardHTTPServer
import OrchardHTTPTypes
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("A payment from a page of the shop")
struct BrowserPaymentTests {
    private static let origin = "https://tea.example"

    private static func send(
        _ shop: Shop, _ method: HTTPMethod, origin: String, ticket: String? = nil, body: [UInt8] = []
    ) async throws -> HTTPResponse {
        let router = shop.api.router
        var fields: HTTPFields = ["Origin": origin, "Content-Type": "application/json"]
        fields["Authorization"] = ticket.map { "Bearer \($0)" }
        do {
            return try await router.respond(
                to: HTTPRequest(method: method, target: "/v1/payments", fields: fields, body: body))
        } catch let problem as Problem {
            return .problem(problem)
        }
    }

    @Test("is asked for in advance, and allowed to the merchants' origins alone")
    func preflight() async throws {
        let shop = try Shop()
        let allowed = try await Self.send(shop, .options, origin: Self.origin)
        #expect(allowed.status == .noContent)
        #expect(allowed.fields["Access-Control-Allow-Origin"] == Self.origin)
        #expect(allowed.fields["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
        let refused = try await Self.send(shop, .options, origin: "https://evil.example")
        #expect(refused.fields["Access-Control-Allow-Origin"] == nil)
    }

    @Test("is answered so that the page can read the payment id, and a problem too")
    func answers() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let body = Array("{\"token\":".utf8) + (try shop.mint(order: Shop.order())).json + Array("}".utf8)
        let accepted = try await Self.send(shop, .post, origin: Self.origin, ticket: ticket, body: body)
        #expect(accepted.status == .accepted)
        #expect(accepted.fields["Access-Control-Allow-Origin"] == Self.origin)
        let refused = try await Self.send(shop, .post, origin: Self.origin, ticket: "a.b.c", body: body)
        #expect(refused.status == .unauthorized)
        #expect(refused.fields["Access-Control-Allow-Origin"] == Self.origin)
    }
}
