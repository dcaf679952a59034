import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import Testing

extension TestShop {
    /// The shop's API behind a server, and a client that calls it over a socket.
    struct Served: Sendable {
        let shop: TestShop
        let client: HTTPClient
        let port: Int

        /// The answer to a request; nil, and an issue, when there is none.
        func send(
            _ method: HTTPMethod, _ path: String, bearer: String? = nil, body: [UInt8] = [], fields: HTTPFields = [:]
        ) async -> HTTPResponse? {
            var fields = fields
            if let bearer { fields["Authorization"] = "Bearer \(bearer)" }
            let outcome = await client.send(
                HTTPClientRequest(method: method, url: "http://127.0.0.1:\(port)\(path)", fields: fields, body: body))
            guard case .answered(let answer) = outcome else {
                Issue.record("\(method) \(path): \(outcome)")
                return nil
            }
            return answer.response
        }

        func post(_ path: String, bearer: String?, _ body: String) async -> HTTPResponse? {
            await send(
                .post, path, bearer: bearer, body: Array(body.utf8), fields: ["Content-Type": "application/json"])
        }
    }

    static func withServer(_ body: @Sendable (Served) async throws -> Void) async throws {
        try await TestShop.with { shop in
            let server = HTTPServer(
                configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: shop.router)
            let client = HTTPClient()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask { try await client.run() }
                defer { group.cancelAll() }
                try await body(Served(shop: shop, client: client, port: try await server.boundPort))
            }
        }
    }
}
