import KafkaBridge
import OrchardHTTPServer
import OrchardServiceKit

/// The shop's server and what reads behind the payments, whoever started the services.
struct StorefrontService: Service {
    let server: HTTPServer
    private let reader: BehindReader

    /// - Parameters:
    ///   - kafka: where the services write.
    ///   - partitions: of each topic.
    ///   - database: a connection string of the ledger's database; nil where the shop may not read it.
    ///   - books: nil where the shop cannot read them.
    ///   - shelf: the webhooks that came.
    ///   - entrance: nil where another server takes the webhooks.
    init(
        _ configuration: HTTPServerConfiguration, setting: StorefrontSetting, pages: PageFiles, orders: ShopOrders,
        device: StandInDevice, kafka: KafkaConfiguration, partitions: Int32, database: String?, books: BooksReading?,
        shelf: WebhookShelf, entrance: WebhookEntrance?, logger: Logger
    ) {
        let feed = BehindFeed()
        reader = BehindReader(
            feed: feed, webhooks: shelf, kafka: kafka, partitions: partitions, database: database)
        server = HTTPServer(
            configuration: configuration,
            router: StorefrontRouter(
                setting: setting, pages: pages, orders: orders, device: device, books: books,
                behind: BehindStream(feed: feed), webhooks: entrance
            ).router,
            logger: logger)
    }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { try await reader.run() }
            defer { group.cancelAll() }
            // The server ends at the shutdown; the reader only with it.
            try await group.next()
        }
    }
}
