import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardServiceKit
import SandboxBroker

/// A shop on the web with everything behind it, on this machine, until Ctrl-C.
public struct Storefront: Sendable {
    let options: StorefrontOptions
    let screen = Screen()

    public init(_ options: StorefrontOptions) {
        self.options = options
    }

    /// Starts everything, and serves until Ctrl-C.
    ///
    /// - Returns: the exit status.
    public func run() async throws -> Int32 {
        try await Interruptible.run("shop") { try await serve() }
    }

    private func serve() async throws -> Int32 {
        let web = try web()
        let client = HTTPClient(configuration: Demo.clientConfiguration, logger: Logger(label: "shop.http"))
        let webhooks = WebhookShelf()
        let inbox = ShopInbox(merchants: 2, refusesFirst: false) { webhooks.put($0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // It is used until all else has stopped.
            group.addTask { try await GracefulShutdown.$current.withValue(nil) { try await client.run() } }
            group.addTask { try await inbox.server.run() }
            defer { group.cancelAll() }
            let environment: DemoEnvironment
            do {
                environment = try await cancelWhenGracefulShutdown {
                    try await DemoEnvironmentBuilder(
                        options: options.demo(web), screen: screen, client: client, inbox: inbox
                    ).build()
                }
            } catch  where error is CancellationError || Task.isCancelled {
                return 128 + SIGINT
            }
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

    private func web() throws -> WebShop {
        guard options.port == 0 || FreePorts.isFree(options.port) else {
            throw DemoError("port \(options.port) is taken: end what listens there, or choose another with --port")
        }
        let ports = try FreePorts.take(2)
        return WebShop(port: options.port == 0 ? ports[0] : options.port, sessionsPort: ports[1])
    }
}
