import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardServiceKit
import SandboxBroker
import SandboxProcesses
import SandboxSessions
import SandboxWallet

/// A shop on the web with everything behind it, on this machine, until Ctrl-C.
public struct Storefront: Sendable {
    private let options: StorefrontOptions
    private let screen = Screen()

    public init(_ options: StorefrontOptions) {
        self.options = options
    }

    /// Starts everything, and serves until Ctrl-C.
    ///
    /// - Returns: the exit status.
    public func run() async throws -> Int32 {
        let group = ServiceGroup(
            services: [Run(shop: self)], logger: Logger(label: "shop", level: .critical),
            maximumShutdownDuration: .seconds(60))
        do { try await group.run() } catch let end as Run.End { return end.status }
        return 1
    }

    /// The shop as a service of the group that handles Ctrl-C.
    private struct Run: Service {
        /// Thrown, because a service that merely returns counts as a fault.
        struct End: Error { let status: Int32 }

        let shop: Storefront

        func run() async throws { throw End(status: try await shop.serve()) }
    }

    private func serve() async throws -> Int32 {
        let web = try web()
        let client = HTTPClient(configuration: Demo.clientConfiguration, logger: Logger(label: "shop.http"))
        let webhooks = WebhookShelf()
        let inbox = ShopInbox(merchants: 2, refusesFirst: false) { webhooks.put($0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { try await inbox.server.run() }
            defer { group.cancelAll() }
            let environment: DemoEnvironment
            do {
                environment = try await cancelWhenGracefulShutdown {
                    try await DemoEnvironmentBuilder(
                        options: options.demo(web), screen: screen, client: client, inbox: inbox
                    ).build()
                }
            } catch is CancellationError { return 128 + SIGINT }
            do {
                try await serve(web, environment, client, webhooks)
                screen.say("stopping everything")
                await environment.stop(screen)
                return 0
            } catch {
                await environment.stop(screen)
                throw error
            }
        }
    }

    /// Serves the pages until the shutdown.
    private func serve(
        _ web: WebShop, _ environment: DemoEnvironment, _ client: HTTPClient, _ webhooks: WebhookShelf
    ) async throws {
        let wallet = try Wallet(directory: environment.workspace.wallet)
        let merchant = environment.workspace.merchants[0]
        let acquirer = AcquirerBook(client: client, address: environment.acquirerAddress)
        for card in StandInCard.all { try await card.prepare(acquirer) }
        let desk = OrderDesk(
            client: client, ledger: environment.ledgers[0].address, apiKey: merchant.apiKey,
            lifetime: options.orderLifetime)
        let device = StandInDevice(wallet: wallet, merchant: merchant.appleIdentifier)
        let setting = StorefrontSetting(
            web: web, merchant: merchant, ledger: environment.ledgers[0].address,
            ingest: environment.ingests[0].address)
        let books = BooksReading(
            acquirer: acquirer, gateway: environment.superuser("gateway"), ledger: environment.superuser("ledger")
        ) {
            try await ProgramRun.demo(
                environment.programs.appending(path: "order-ledger"), ["audit"],
                environment: environment.ledgerEnvironment)
        }
        let watch = BehindWatch(
            feed: BehindFeed(), webhooks: webhooks, kafka: environment.kafka, database: environment.superuser("ledger"))
        let sessions = try SessionServer(wallet: wallet, port: web.sessionsPort)
        let server = Self.server(
            web.port,
            StorefrontRouter(
                setting: setting, pages: PageFiles(folder: options.pages), desk: desk, device: device, books: books,
                behind: BehindStream(feed: watch.feed)))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sessions.run() }
            group.addTask { try await server.run() }
            group.addTask { try await watch.run() }
            group.addTask {
                _ = try await server.boundPort
                screen.show(Self.welcome(web, environment))
                try await gracefulShutdown()
            }
            defer { group.cancelAll() }
            // The first one that ends, by shutdown or failure, ends the others.
            try await group.next()
        }
    }

    private static func server(_ port: Int, _ routes: StorefrontRouter) -> HTTPServer {
        var configuration = HTTPServerConfiguration(host: "127.0.0.1", port: port)
        configuration.limits.connections = 256
        return HTTPServer(
            configuration: configuration, router: routes.router,
            logger: Logger(label: "shop", level: .warning, handler: LogWriter.standardError))
    }

    private func web() throws -> WebShop {
        guard options.port == 0 || FreePorts.isFree(options.port) else {
            throw DemoError("port \(options.port) is taken: end what listens there, or choose another with --port")
        }
        let ports = try FreePorts.take(2)
        return WebShop(port: options.port == 0 ? ports[0] : options.port, sessionsPort: ports[1])
    }

    private static func welcome(_ web: WebShop, _ environment: DemoEnvironment) -> String {
        var table = Table()
        table.add("the shop", "http://localhost:\(web.port)/")
        table.add("what happens behind", "http://localhost:\(web.port)/behind.html")
        for worker in environment.services { table.add(worker.name, worker.address, "\(worker.admin)/metrics") }
        table.add("acquirer", environment.acquirerAddress, "\(environment.acquirerAddress)/_control/book")
        return (["Everything keeps running until Ctrl-C:"] + table.lines).joined(separator: "\n")
    }
}
