import Foundation
import KafkaBridge
import OrchardHTTPClient
import OrchardHTTPServer
public import OrchardServiceKit
import SandboxWallet

/// The configuration of `sandbox shop serve`.
public struct ShopConfiguration: Sendable {
    let http: HTTPServerConfiguration
    /// What the log shows and how.
    public let log: LogConfiguration
    let kafka: KafkaConfiguration
    let partitions: Int32
    /// Where browsers find the pages, and the services under the same address.
    let origin: String
    /// nil only while there are problems.
    let wallet: Wallet?
    /// Apple's identifier of the merchant, one of the wallet's.
    let merchant: String
    let apiKey: String
    let webhookSecret: [UInt8]
    /// The address of order-ledger for the shop's server.
    let ledger: String
    /// The address of the acquirer's simulator.
    let acquirer: String
    /// Host and port of the session server, as token-ingest is told it.
    let sessionServer: String
    /// PEM file of the authorities that are trusted instead of the system's.
    let authorities: String?
    let orderLifetime: Duration
    /// A folder of pages that is read at each request; nil for those in the program.
    let pages: URL?

    /// Configuration keys:
    /// - `http.…`, `log.…`, `kafka.…`: as the services have them; `http.port` is 8080
    /// - `shop.origin`: where browsers find the pages, as in `https://tea.example`; a proxy serves `/v1` there too
    /// - `shop.wallet`, `shop.merchant`: the wallet's folder, and which of its merchants is paid
    /// - `shop.api.key`, `shop.webhook.secret` (secrets): of `merchants.json`, the second with its `whsec_`
    /// - `shop.ledger`, `shop.acquirer`: addresses of order-ledger and of `sandbox acquirer`
    /// - `shop.sessions.server`: host and port of `sandbox wallet serve`, as in `apple.sessions.server`
    /// - `shop.ca`: authorities to trust for these addresses, PEM
    /// - `shop.order.lifetime` (default 30m): how long an order may be paid
    /// - `shop.pages`: a folder of pages, instead of those in the program
    public init(reader: ConfigReader) {
        http = HTTPServerConfiguration(reader: reader.scoped(to: "http"), defaultPort: 8080)
        log = LogConfiguration(reader: reader)
        kafka = KafkaConfiguration(reader: reader, clientID: "shop")
        partitions = KafkaConfiguration.partitions(reader: reader)
        let shop = reader.scoped(to: "shop")
        origin = shop.url(
            "origin", doc: "Where browsers find the pages; a proxy serves the services' /v1 there as well.")
        if !origin.isEmpty, !Self.isOrigin(origin) {
            shop.report("origin", "\"\(origin)\" is no origin as in https://tea.example, without a path")
        }
        merchant = shop.string("merchant", doc: "Apple's identifier of the merchant, as in the wallet.")
        wallet = Self.wallet(shop, merchant)
        apiKey = shop.secret("api.key", doc: "The API key of the shop's server.").value
        let secret = shop.secret("webhook.secret", doc: "The secret that signs the shop's webhooks, with its whsec_.")
        webhookSecret = WebhookEntrance.secret(secret.value) ?? []
        if !secret.value.isEmpty, webhookSecret.isEmpty {
            shop.report("webhook.secret", "is not whsec_ with at least 24 bytes in base64")
        }
        ledger = Self.address(shop, "ledger", "An order-ledger, or the proxy before it.")
        acquirer = Self.address(shop, "acquirer", "The acquirer's simulator, which is told how each card behaves.")
        sessionServer = shop.string(
            "sessions.server", doc: "The session server, as in token-ingest's apple.sessions.server.")
        if !sessionServer.isEmpty, sessionServer.contains("/") || HTTPURL("https://\(sessionServer)") == nil {
            shop.report("sessions.server", "\"\(sessionServer)\" is not a host with a port, as in localhost:8443")
        }
        authorities = shop.optionalFile(
            "ca", doc: "The authorities for TLS to these addresses, PEM, instead of the system's.")
        orderLifetime = shop.duration(
            "order.lifetime", doc: "How long an order may be paid.", default: .seconds(1_800),
            in: .seconds(1)...(.seconds(86_400)))
        pages = Self.folder(shop, "pages", "Pages that are read at each request, instead of those in the program.")
    }

    private static func isOrigin(_ text: String) -> Bool {
        HTTPURL(text) != nil && text.split(separator: "/", omittingEmptySubsequences: false).count == 3
            && !text.contains("?")
    }

    /// An address without a slash at its end.
    private static func address(_ reader: ConfigReader, _ name: String, _ doc: String) -> String {
        let text = reader.url(name, doc: doc, schemes: ["https", "http"])
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private static func folder(_ reader: ConfigReader, _ name: String, _ doc: String) -> URL? {
        guard let path = reader.optionalString(name, doc: doc) else { return nil }
        var isFolder: ObjCBool = false
        if !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue {
            reader.report(name, "\"\(path)\" is no folder")
        }
        return URL(filePath: path)
    }

    /// The wallet, which must have the merchant.
    private static func wallet(_ reader: ConfigReader, _ merchant: String) -> Wallet? {
        let folder = reader.string("wallet", doc: "The wallet: a folder that wallet init wrote.")
        guard !folder.isEmpty else { return nil }
        do {
            let wallet = try Wallet(directory: URL(filePath: folder))
            if !merchant.isEmpty { _ = try wallet.processing(merchant, .ec) }
            return wallet
        } catch {
            reader.report("wallet", "\(error)")
            return nil
        }
    }
}
