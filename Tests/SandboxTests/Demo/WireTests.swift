import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import Testing

@testable import SandboxDemo

@Suite("The customers' requests")
struct WireTests {
    /// Sends to a server that gives one answer first, and 200 from then on.
    private func send(first: HTTPResponse) async throws -> (status: Int, requests: Int) {
        let requests = Locked(0)
        var router = Router()
        router.on(.post, "/v1/payments") { _, _ in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? first : HTTPResponse(status: .ok, body: Array("{}".utf8))
        }
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: router,
            logger: Logger(label: "test", level: .critical))
        let client = HTTPClient(configuration: Demo.clientConfiguration)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { try await client.run() }
            let wire = Wire(client: client, workers: ["http://127.0.0.1:\(try await server.boundPort)"])
            let answer = try await wire.send(.post, "/v1/payments", token: "ticket")
            group.cancelAll()
            return (answer.status, requests.withLock { $0 })
        }
    }

    @Test("are repeated after a refusal that passes, and after a proxy's own answer", arguments: [429, 503, 502, 504])
    func repeated(status: Int) async throws {
        let result = try await send(first: HTTPResponse(status: HTTPStatus(code: status), body: Array("<html>".utf8)))
        #expect(result == (200, 2))
    }

    @Test("are not repeated after a decision of ours", arguments: [402, 500, 502, 504])
    func decided(status: Int) async throws {
        let body = Array(#"{"code":"apple"}"#.utf8)
        let result = try await send(first: HTTPResponse(status: HTTPStatus(code: status), body: body))
        #expect(result == (status, 1))
    }
}
