import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
public import OrchardServiceKit

/// The shop on the web against services that run already.
///
/// Its pages show what Kafka and the webhooks tell. The books belong to the services' operator: the shop reads no
/// database and runs no audit.
public struct ServedShop: Sendable {
    private let configuration: ShopConfiguration

    public init(_ configuration: ShopConfiguration) {
        self.configuration = configuration
    }

    /// How long the acquirer may need to answer for the first time.
    private static let longestWait = Duration.seconds(120)

    /// Serves until SIGTERM.
    public func run(logger: Logger) async throws {
        var clientConfiguration = HTTPClientConfiguration()
        clientConfiguration.caFile = configuration.authorities
        // The card data are made up, and a test network may be a private one.
        clientConfiguration.urlPolicy = .any
        let client = HTTPClient(configuration: clientConfiguration, logger: logger.scoped(to: "client"))
        try await ServiceGroup(services: [client, try service(client, logger)], logger: logger).run()
    }

    private func service(_ client: HTTPClient, _ logger: Logger) throws -> PreparedShop {
        guard let wallet = configuration.wallet else { throw DemoError("there is no wallet") }
        let shelf = WebhookShelf()
        let shop = StorefrontService(
            configuration.http,
            setting: StorefrontSetting(
                origins: [configuration.origin], shopName: Catalogue.shopName, merchant: configuration.merchant,
                ledger: configuration.origin, ingest: configuration.origin,
                sessionServer: configuration.sessionServer, hasBooks: false),
            pages: PageFiles(folder: configuration.pages),
            orders: ShopOrders(
                client: client, ledger: configuration.ledger, apiKey: configuration.apiKey,
                lifetime: configuration.orderLifetime),
            device: StandInDevice(wallet: wallet, merchant: configuration.merchant), kafka: configuration.kafka,
            partitions: configuration.partitions, database: nil, books: nil, shelf: shelf,
            entrance: WebhookEntrance(secret: configuration.webhookSecret, shelf: shelf),
            logger: logger.scoped(to: "http"))
        return PreparedShop(
            shop: shop, acquirer: AcquirerBook(client: client, address: configuration.acquirer),
            origin: configuration.origin, longestWait: Self.longestWait, logger: logger)
    }
}

/// The shop's server, once the acquirer knows how each card behaves.
private struct PreparedShop: Service {
    let shop: StorefrontService
    let acquirer: AcquirerBook
    let origin: String
    let longestWait: Duration
    let logger: Logger

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await prepare() }
        logger.notice("the shop is open", ["address": "\(origin)/"])
        try await shop.run()
    }

    private func prepare() async throws {
        let end = ContinuousClock.now + longestWait
        while true {
            do {
                for card in StandInCard.all { try await card.prepare(acquirer) }
                return
            } catch {
                guard ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }
}
