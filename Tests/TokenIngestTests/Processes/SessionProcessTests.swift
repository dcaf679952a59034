import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON
import SandboxBroker
import SandboxProcesses
import SandboxSessions
import TestSupport
import Testing

@testable import TokenIngest

@Suite("Merchant sessions of a real process", .serialized, .timeLimit(.minutes(10)))
struct SessionProcessTests {
    /// Asks a process for a session until `Apple` answers, and returns the answer.
    private func session(of ingest: TestProcess, _ shop: Shop, apple port: Int) async throws -> HTTPResponse {
        let client = HTTPClient()
        let request = HTTPClientRequest(
            method: .post, url: "http://127.0.0.1:\(try await ingest.port(of: "http"))/v1/apple-pay/session",
            fields: [
                "Content-Type": "application/json", "Origin": "https://tea.example",
                "Authorization": "Bearer \(try shop.ticket(order: Shop.order()))",
            ], body: Array(#"{"validationURL":"https://localhost:\#(port)/paymentservices/startSession"}"#.utf8))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            var response = HTTPResponse(status: .notFound)
            try await ingest.until {
                guard case .answered(let answer) = await client.send(request) else { return false }
                response = answer.response
                return response.json?["reason"]?.string != "unreachable"
            }
            return response
        }
    }

    private func settings(_ port: Int, root: String) -> [String: String] {
        ["APPLE_SESSIONS_SERVER": "localhost:\(port)", "APPLE_SESSIONS_ROOT": root]
    }

    @Test(
        "are the sandbox's, with a warning in the log, the certificate's end in the metrics, and nothing secret in either"
    )
    func sandbox() async throws {
        let shop = try Shop()
        let apple = try SessionServer(wallet: shop.wallet)
        let ingest = try shop.ingest(
            brokers: "127.0.0.1:1", settings(apple.port, root: shop.file("root.cert.pem")))
        let client = HTTPClient()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await apple.run() }
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            let answer = try await session(of: ingest, shop, apple: apple.port)
            #expect(answer.status == .ok, "\(answer)")
            #expect(answer.json?["domainName"]?.string == "tea.example")
            #expect(apple.requests.map(\.client) == [Shop.identifiers[0]])
            #expect(ingest.log.contains("instead of Apple"))
            let page = await client.send(
                HTTPClientRequest(
                    method: .get, url: "http://127.0.0.1:\(try await ingest.port(of: "admin"))/metrics"))
            guard case .answered(let metrics) = page else { throw Unanswered() }
            let text = String(decoding: metrics.response.body, as: UTF8.self)
            #expect(text.contains("token_ingest_sessions_total{outcome=\"given\"} 1"))
            #expect(text.contains("certificate=\"\(Shop.identifiers[0])/identity.cert.pem\""))
            for name in ["nonce", "merchantSessionIdentifier", "signature"] {
                let secret = try #require(answer.json?[name]?.string)
                #expect(!ingest.log.contains(secret) && !text.contains(secret))
            }
        }
    }

    @Test(
        "are the independent wallet's, which knows the merchant by its certificate",
        .enabled(if: Oracles.arePresent, "\(Oracles.absence)"))
    func oracle() async throws {
        let (shop, port) = (try Shop(), try FreePorts.take(1)[0])
        let folder = shop.folder.appending(path: "oracle")
        let (program, merchant) = (Oracles.path("apple_wallet.py"), Shop.identifiers[0])
        let made = try await Oracles.run([program, "init", folder.path, "--merchant", merchant])
        #expect(made.status == 0, "\(made.output)")
        // Only the identity is the oracle's.
        let file = shop.folder.appending(path: "merchants.json")
        let text = String(decoding: try Shop.read(file), as: UTF8.self)
        try Shop.write(
            Array(text.replacing("\(merchant)/identity", with: "oracle/\(merchant)/identity").utf8), to: file)
        let server = try ChildProcess(
            ChildCommand(
                Oracles.python, [program, "serve", folder.path, "--port", "\(port)", "--tls"], output: .null,
                errors: .null))
        defer { server.signal(SIGKILL) }
        let ingest = try shop.ingest(
            brokers: "127.0.0.1:1", settings(port, root: folder.appending(path: "root.cert.pem").path))
        let answer = try await session(of: ingest, shop, apple: port)
        #expect(answer.status == .ok, "\(answer)")
        #expect(answer.json?["domainName"]?.string == "tea.example")
        #expect(answer.json?["displayName"]?.string == merchant)
    }

    /// A process reads them by its own clock, at any moment of a long run.
    @Test("are asked for with tickets of the shop's own time, not of the first shop's")
    func shopTime() async throws {
        let first = try Shop()
        try await Task.sleep(for: .milliseconds(1_100))
        #expect(try Shop().now > first.now)
    }

    @Test("need a server and its root together")
    func settings() async throws {
        let shop = try Shop()
        let ingest = try shop.ingest(brokers: "127.0.0.1:1", ["APPLE_SESSIONS_SERVER": "localhost:1"])
        #expect(try await ingest.status() == 2)
        #expect(ingest.log.contains("apple.sessions.root: is required beside apple.sessions.server"), "\(ingest.log)")
    }

    private struct Unanswered: Error {}
}
