import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardServiceKit
import SandboxProcesses
import SandboxSessions
import SandboxWallet

extension Storefront {
    /// Serves the pages until the shutdown.
    func serve(
        _ web: WebShop, _ environment: DemoEnvironment, _ client: HTTPClient, _ webhooks: WebhookShelf
    ) async throws {
        let wallet = try Wallet(directory: environment.workspace.wallet)
        let merchant = environment.workspace.merchants[0]
        let acquirer = AcquirerBook(client: client, address: environment.acquirerAddress)
        for card in StandInCard.all { try await card.prepare(acquirer) }
        let orders = ShopOrders(
            client: client, ledger: environment.ledgers[0].address, apiKey: merchant.apiKey,
            lifetime: options.orderLifetime)
        let device = StandInDevice(wallet: wallet, merchant: merchant.appleIdentifier)
        let setting = StorefrontSetting(
            origins: web.origins, shopName: merchant.name, merchant: merchant.appleIdentifier,
            ledger: environment.ledgers[0].address, ingest: environment.ingests[0].address,
            sessionServer: web.sessionServer, hasBooks: true)
        let books = BooksReading(
            acquirer: acquirer, gateway: environment.superuser("gateway"), ledger: environment.superuser("ledger")
        ) {
            try await ProgramRun.demo(
                environment.programs.appending(path: "order-ledger"), ["audit"],
                environment: environment.ledgerEnvironment)
        }
        let sessions = try SessionServer(wallet: wallet, port: web.sessionsPort)
        var configuration = HTTPServerConfiguration(host: "127.0.0.1", port: web.port)
        configuration.limits.connections = 256
        let shop = StorefrontService(
            configuration, setting: setting, pages: PageFiles(folder: options.pages), orders: orders, device: device,
            kafka: environment.kafka.configuration, partitions: environment.kafka.partitions,
            database: environment.superuser("ledger"), books: books, shelf: webhooks, entrance: nil,
            logger: Logger(label: "shop", level: .warning, handler: LogWriter.standardError))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sessions.run() }
            group.addTask { try await shop.run() }
            group.addTask { try await Self.waitForFailure(of: environment.services) }
            group.addTask {
                _ = try await shop.server.boundPort
                screen.show(Self.welcome(web, environment))
                try await gracefulShutdown()
            }
            defer { group.cancelAll() }
            // The first one that ends, by shutdown or failure, ends the others.
            try await group.next()
        }
    }

    /// Waits until a service has ended by itself.
    private static func waitForFailure(of services: [Worker]) async throws {
        while true {
            for worker in services where !worker.process.isRunning {
                throw DemoError("\(worker.name) has ended; its log is \(worker.process.log.path)")
            }
            try await Task.sleep(for: .seconds(1))
        }
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
