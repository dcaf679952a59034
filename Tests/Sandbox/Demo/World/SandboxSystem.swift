import Foundation
import OrchardHTTPClient
import OrchardServiceKit
import SandboxDatabase
import SandboxWallet

/// Everything that the demo runs, without the demo's day: for measurements of the whole system.
public struct SandboxSystem: Sendable {
    private let environment: DemoEnvironment

    /// Runs the body with a system that is ready, then stops the system.
    public static func run<Result: Sendable>(
        _ options: DemoOptions, _ body: (SandboxSystem) async throws -> Result
    ) async throws -> Result {
        let client = HTTPClient(logger: Logger(label: "sandbox", level: .critical))
        let screen = Screen(isSilent: true)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            let environment = try await DemoEnvironmentBuilder(options: options, screen: screen, client: client).build()
            do {
                let result = try await body(SandboxSystem(environment: environment))
                await environment.stop(screen)
                return result
            } catch {
                await environment.stop(screen)
                throw error
            }
        }
    }

    /// A load on its services by the devices of its first merchant.
    ///
    /// - Parameter amount: in fen; its last three digits choose the acquirer's behaviour.
    public func load(amount: Int64 = 1_234) throws -> LoadOptions {
        let merchant = environment.workspace.merchants[0]
        var payment = MintRequest(merchant: merchant.appleIdentifier, amount: amount)
        payment.content = .emv
        return LoadOptions(
            wallet: try Wallet(directory: environment.workspace.wallet), payment: payment, apiKey: merchant.apiKey,
            ledgers: environment.ledgers.map(\.address), ingests: environment.ingests.map(\.address))
    }

    /// The folder of the wallet.
    public var wallet: URL { environment.workspace.wallet }

    /// The running processes by their names, such as `charge-gateway 1`, `acquirer` and `postgres`.
    public var processes: [String: Int32] {
        var processes = ["postgres": environment.cluster.processID]
        for worker in environment.services { processes[worker.name] = worker.process.processID }
        processes["acquirer"] = environment.acquirer.processID
        return processes
    }

    /// Kills a worker and starts it again at once.
    ///
    /// - Parameter name: as in ``processes``, such as `charge-gateway 1`.
    public func restart(_ name: String) async throws {
        guard let worker = environment.services.first(where: { $0.name == name }) else {
            throw DemoError("no worker has the name \(name)")
        }
        await worker.process.killNow()
        try worker.process.start()
    }

    /// The logs of the three services.
    public var logs: [URL] { environment.services.map(\.process.log) }
}
