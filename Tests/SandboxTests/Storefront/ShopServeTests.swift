import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import SandboxBroker
import SandboxWallet
import TestSupport
import Testing

@testable import Sandbox
@testable import SandboxDemo

@Suite("sandbox shop serve")
struct ShopServeTests {
    private struct NoAnswer: Error {}

    private static let merchant = "merchant.example.tea"
    /// Keys take time to make.
    private static let wallet = Result {
        let folder = try TemporaryFolder()
        try Wallet(merchants: [merchant]).save(to: folder.url)
        return folder
    }

    private func run(_ arguments: [String]) async -> (status: Int32, errors: String) {
        let errors = Locked("")
        let status = await CommandLineProgram(version: "0", root: SandboxProgram.root).run(
            ["shop", "serve"] + arguments, output: { _ in }, errors: { text in errors.withLock { $0 += text } })
        return (status, errors.withLock { $0 })
    }

    @Test("names every setting that is missing in one message")
    func missing() async {
        let answer = await run([])
        #expect(answer.status == 2)
        for name in [
            "KAFKA_BOOTSTRAP_SERVERS", "SHOP_ORIGIN", "SHOP_WALLET", "SHOP_MERCHANT",
            "SHOP_API_KEY (or SHOP_API_KEY_FILE)", "SHOP_WEBHOOK_SECRET (or SHOP_WEBHOOK_SECRET_FILE)", "SHOP_LEDGER",
            "SHOP_ACQUIRER", "SHOP_SESSIONS_SERVER",
        ] { #expect(answer.errors.contains("set \(name)"), "\(name): \(answer.errors)") }
    }

    @Test("names every setting that is wrong in one message, and shows no secret")
    func wrong() async throws {
        let folder = try TemporaryFolder()
        let (key, secret) = (try folder.write("key", "the-api-key\n"), try folder.write("secret", "the-secret\n"))
        let wallet = try Self.wallet.get().url.path
        let answer = await run([
            "--kafka-bootstrap-servers", "127.0.0.1:1", "--kafka-partitions", "0", "--http-port", "web",
            "--shop-origin", "https://tea.example/shop", "--shop-wallet", wallet, "--shop-merchant", "merchant.other",
            "--shop-api-key-file", key, "--shop-webhook-secret-file", secret, "--shop-ledger", "ledger:8083",
            "--shop-acquirer", "ftp://acquirer", "--shop-sessions-server", "https://sessions", "--shop-ca",
            "/nonexistent", "--shop-order-lifetime", "2d", "--shop-pages", "/etc/hostname",
        ])
        #expect(answer.status == 2)
        for reason in [
            "kafka.partitions", "http.port", "shop.origin: \"https://tea.example/shop\" is no origin",
            "shop.wallet: merchant.other has no EC_v1 key", "shop.webhook.secret: is not whsec_",
            "shop.ledger", "shop.acquirer", "shop.sessions.server: \"https://sessions\" is not a host",
            "shop.ca", "shop.order.lifetime", "shop.pages: \"/etc/hostname\" is no folder",
        ] { #expect(answer.errors.contains(reason), "\(reason): \(answer.errors)") }
        #expect(!answer.errors.contains("the-api-key") && !answer.errors.contains("the-secret"))
    }

    @Test("the pages call the services under their own address, and are told that the books are elsewhere")
    func pages() async throws {
        let folder = try TemporaryFolder()
        let key = try folder.write("key", "the-api-key\n")
        let secret = try folder.write("secret", "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n")
        let commands = Locked<[String]>([])
        var router = Router()
        // The acquirer's control interface.
        router.on(.post, "/_control/arm") { request, _ in
            let fault = (try? JSONValue(parsing: request.body))?["fault"]?.string
            commands.withLock { $0.append(fault ?? "") }
            return .json(JSONValue.object([]).bytes)
        }
        let acquirer = HTTPServer(configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: router)
        let client = HTTPClient(configuration: HTTPClientConfiguration())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await acquirer.run() }
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            let port = try FreePorts.take(1)[0]
            let origin = "http://127.0.0.1:\(port)"
            let shop = try TestProcess(
                "sandbox",
                [
                    "shop", "serve", "--http-port", "\(port)", "--kafka-bootstrap-servers", "127.0.0.1:1",
                    "--shop-origin",
                    origin, "--shop-wallet", try Self.wallet.get().url.path, "--shop-merchant",
                    Self.merchant, "--shop-api-key-file", key, "--shop-webhook-secret-file", secret, "--shop-ledger",
                    "http://127.0.0.1:1", "--shop-acquirer", "http://127.0.0.1:\(try await acquirer.boundPort)",
                    "--shop-sessions-server", "sessions:8443",
                ], ProcessInfo.processInfo.environment)
            #expect(try await shop.port(of: "http") == port)
            func get(_ path: String) async throws -> (status: Int, json: JSONValue) {
                let request = HTTPClientRequest(method: .get, url: origin + path, timeout: .seconds(20))
                guard case .answered(let answer) = await client.send(request) else { throw NoAnswer() }
                return (answer.response.status.code, try JSONValue(parsing: answer.response.body))
            }
            let config = try await get("/api/config")
            #expect(config.json["ledger"] == .string(origin))
            #expect(config.json["ingest"] == .string(origin))
            #expect(config.json["sessionServer"] == "https://sessions:8443/paymentservices/paymentSession")
            #expect(config.json["hasBooks"] == false)
            let books = try await get("/api/books")
            #expect(books.status == 404 && books.json["code"] == "books-elsewhere", "\(books.json)")
            #expect(commands.withLock { $0 } == ["declined_64", "silent_paid"])
            shop.signal(SIGTERM)
            #expect(try await shop.status() == 0, "\(shop.log)")
            #expect(!shop.log.contains("the-api-key"))
        }
    }
}
