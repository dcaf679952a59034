import Contracts
import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardPostgres
import OrchardServiceKit
import SandboxAcquirer
import SandboxBroker
import SandboxDatabase
import SandboxWallet

/// Starts everything in the right order, on loopback and with free ports.
struct WorldBuilder {
    let options: DemoOptions
    let screen: Screen
    let client: HTTPClient
    let oracles: Oracles?
    static let partitions: Int32 = 6

    init(options: DemoOptions, screen: Screen, client: HTTPClient) throws {
        self.options = options
        self.screen = screen
        self.client = client
        oracles = try options.oracles.map { try Oracles(folder: $0) }
    }

    /// A world that is ready. One that does not come to be leaves nothing in a Kafka of others.
    func build() async throws -> World {
        let kafka = try DemoKafka(
            options, run: Int64(Date().timeIntervalSince1970), partitions: Self.partitions)
        screen.say("Kafka: \(kafka.place)")
        let world: World
        do { world = try await prepare(kafka) } catch {
            await kafka.end(screen)
            throw error
        }
        do {
            for service in world.services { try await service.process.start() }
            for service in world.services { try await service.waitUntilReady(client) }
        } catch {
            await world.stop(screen)
            throw error
        }
        screen.say("two processes each of token-ingest, charge-gateway and order-ledger are ready")
        return world
    }

    private func prepare(_ kafka: DemoKafka) async throws -> World {
        let programs = try SandboxExecutable.find().deletingLastPathComponent()
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        let workspace = try Workspace(folder: options.run.appending(path: "demo-\(now.seconds)"), now: now)
        screen.say("keys, configuration and logs of this run are in \(workspace.folder.path)")
        try await workspace.makeKeys(programs)
        let wallet = try await makeWallet(workspace)

        let cluster = try await PrivateCluster.start(in: options.run)
        let databases = try await makeDatabases(cluster)
        screen.say("PostgreSQL: a private cluster with the databases gateway and ledger")

        let (acquirer, acquirerAddress) = try await startAcquirer(workspace, programs)
        screen.say("acquirer simulator: \(acquirerAddress)")

        let gate =
            try options.isChaos ? Gate(acquirerPort: Int(acquirerAddress.split(separator: ":").last ?? "") ?? 0) : nil
        let settings = ServiceSettings(
            workspace: workspace, kafka: kafka, gatewayDatabase: databases.gateway, ledgerDatabase: databases.ledger,
            acquirer: gate?.address ?? acquirerAddress)
        try await prepareDatabases(cluster, programs)
        try await kafka.createTopics(programs.appending(path: "order-ledger"))
        let ports = try FreePorts.take(12)
        func worker(_ program: String, _ number: Int, _ ports: ArraySlice<Int>, _ environment: [String: String])
            -> Worker
        {
            let name = "\(program) \(number)"
            let process = ChildProcess(
                name: name, program: programs.appending(path: program), arguments: ["serve"], environment: environment,
                log: workspace.logs.appending(path: "\(program)-\(number).log"))
            return Worker(
                process: process, address: "http://127.0.0.1:\(ports[ports.startIndex])",
                admin: "http://127.0.0.1:\(ports[ports.startIndex + 1])")
        }
        // Gateway 1's notifications go to gateway 2 and the other way round: any instance takes them.
        let notifications = ["http://127.0.0.1:\(ports[6])", "http://127.0.0.1:\(ports[4])"]
        return World(
            workspace: workspace, kafka: kafka, cluster: cluster, wallet: wallet, acquirer: acquirer,
            acquirerAddress: acquirerAddress, gate: gate,
            ingests: (0...1).map { index in
                worker(
                    "token-ingest", index + 1, ports[(2 * index)...],
                    settings.ingest(http: ports[2 * index], admin: ports[2 * index + 1]))
            },
            gateways: (0...1).map { index in
                worker(
                    "charge-gateway", index + 1, ports[(4 + 2 * index)...],
                    settings.gateway(
                        http: ports[4 + 2 * index], admin: ports[5 + 2 * index], notifications: notifications[index]))
            },
            ledgers: (0...1).map { index in
                worker(
                    "order-ledger", index + 1, ports[(8 + 2 * index)...],
                    settings.ledger(http: ports[8 + 2 * index], admin: ports[9 + 2 * index]))
            },
            programs: programs, ledgerEnvironment: settings.ledger(http: ports[8], admin: ports[9]))
    }

    private func makeWallet(_ workspace: Workspace) async throws -> any TokenSource {
        let identifiers = workspace.merchants.map(\.appleIdentifier)
        if let oracles {
            try await oracles.makeWallet(in: workspace.wallet, merchants: identifiers)
            return try OracleWallet(oracles, directory: workspace.wallet)
        }
        let wallet = try Wallet(merchants: identifiers)
        try wallet.save(to: workspace.wallet)
        return OwnWallet(wallet: wallet)
    }

    private func makeDatabases(_ cluster: PrivateCluster) async throws -> (gateway: String, ledger: String) {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: cluster.connectionString))
        for name in ["gateway", "ledger"] { try await connection.script("CREATE DATABASE \(name)") }
        await connection.close()
        func url(_ name: String) -> String {
            cluster.connectionString.replacing("dbname=postgres", with: "dbname=\(name)")
                .replacing("user=postgres", with: "user=orchard_\(name)")
        }
        return (url("gateway"), url("ledger"))
    }

    /// Schemas by the owner, then the services' login roles, which may do no more than their service role.
    private func prepareDatabases(_ cluster: PrivateCluster, _ programs: URL) async throws {
        for (program, name, role) in [
            ("charge-gateway", "gateway", "gateway_service"), ("order-ledger", "ledger", "ledger_service"),
        ] {
            let owner = cluster.connectionString.replacing("dbname=postgres", with: "dbname=\(name)")
            let migration = try await CommandRun.run(
                programs.appending(path: program), ["migrate"], environment: ["POSTGRES_URL": owner])
            guard migration.status == 0 else {
                throw DemoError("\(program) migrate failed:\n\(migration.output)")
            }
            let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: owner))
            try await connection.script("CREATE ROLE orchard_\(name) LOGIN IN ROLE \(role)")
            await connection.close()
        }
    }

    private func startAcquirer(_ workspace: Workspace, _ programs: URL) async throws -> (ChildProcess, String) {
        let accounts = workspace.merchants.map(\.account)
        let port = try FreePorts.take(1)[0]
        let (program, arguments): (URL, [String])
        if let oracles {
            try await oracles.makeAcquirer(in: workspace.acquirer, accounts: accounts)
            (program, arguments) = oracles.serveAcquirer(workspace.acquirer, port: port)
        } else {
            try AcquirerPKI(merchants: accounts, serialBits: 40).save(to: workspace.acquirer)
            program = programs.appending(path: "sandbox")
            arguments = ["acquirer", "serve", workspace.acquirer.path, "--port", "\(port)", "--time-scale", "0.02"]
        }
        let process = ChildProcess(
            name: "acquirer", program: program, arguments: arguments, environment: [:],
            log: workspace.logs.appending(path: "acquirer.log"))
        try await process.start()
        let address = "http://127.0.0.1:\(port)"
        for _ in 0..<200 {
            if case .answered = await client.send(
                HTTPClientRequest(method: .get, url: "\(address)/_control/summary", timeout: .seconds(2)))
            {
                return (process, address)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw DemoError("the acquirer does not answer; its log is \(process.log.path)")
    }
}
