import Contracts
import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardPostgres
import OrchardServiceKit
import SandboxAcquirer
import SandboxBroker
import SandboxDatabase
import SandboxProcesses
import SandboxWallet

/// Starts everything in the right order, on loopback and with free ports.
struct DemoEnvironmentBuilder {
    let options: DemoOptions
    let screen: Screen
    let client: HTTPClient
    let oracles: Oracles?
    /// The shops' servers for webhooks; nil for none.
    let inbox: ShopInbox?

    init(options: DemoOptions, screen: Screen, client: HTTPClient, inbox: ShopInbox? = nil) throws {
        self.inbox = inbox
        self.options = options
        self.screen = screen
        self.client = client
        oracles = try options.oracles.map { try Oracles(folder: $0) }
    }

    /// Builds a system that is ready. When that fails, it leaves nothing in a shared Kafka.
    func build() async throws -> DemoEnvironment {
        let kafka = try DemoKafka(
            options, run: Int64(Date().timeIntervalSince1970), partitions: options.partitions)
        screen.say("Kafka: \(kafka.place)")
        let environment: DemoEnvironment
        do { environment = try await prepare(kafka) } catch {
            await kafka.end(screen)
            throw error
        }
        do {
            for service in environment.services { try service.process.start() }
            for service in environment.services { try await service.waitUntilReady(client) }
        } catch {
            await environment.stop(screen)
            throw error
        }
        let processes = options.processes == 1 ? "one process" : "\(options.processes) processes"
        screen.say("\(processes) each of token-ingest, charge-gateway and order-ledger are ready")
        return environment
    }

    private func prepare(_ kafka: DemoKafka) async throws -> DemoEnvironment {
        let programs = try options.programs ?? SandboxExecutable.find().deletingLastPathComponent()
        let now = Timestamp.now
        var shops: (inbox: ShopInbox, port: Int)?
        if let inbox { shops = (inbox, try await inbox.server.boundPort) }
        let workspace = try Workspace(
            folder: options.run.appending(path: "demo-\(now.seconds)"), now: now, shops: shops, web: options.web)
        screen.say("keys, configuration and logs of this run are in \(workspace.folder.path)")
        try await workspace.makeKeys(programs)
        let wallet = try await makeWallet(workspace)

        let cluster = try await PrivateCluster.start(in: options.run, isDurable: options.isDurable)
        do { return try await prepare(kafka, programs, workspace, wallet, cluster) } catch {
            await cluster.stop()
            throw error
        }
    }

    private func prepare(
        _ kafka: DemoKafka, _ programs: URL, _ workspace: Workspace, _ wallet: any TokenSource,
        _ cluster: PrivateCluster
    ) async throws -> DemoEnvironment {
        let databases = try await makeDatabases(cluster)
        screen.say("PostgreSQL: a private cluster with the databases gateway and ledger")

        let (acquirer, acquirerAddress) = try await startAcquirer(workspace, programs)
        screen.say("acquirer simulator: \(acquirerAddress)")

        let gate =
            try options.isChaos && options.storm == nil
            ? Gate(acquirerPort: Int(acquirerAddress.split(separator: ":").last ?? "") ?? 0) : nil
        let settings = ServiceSettings(
            workspace: workspace, kafka: kafka, gatewayDatabase: databases.gateway, ledgerDatabase: databases.ledger,
            acquirer: gate?.address ?? acquirerAddress, fetchesFilesAtOnce: inbox != nil,
            web: options.web)
        try await prepareDatabases(cluster, programs)
        try await kafka.createTopics(programs.appending(path: "order-ledger"))
        let indices = 0..<options.processes
        let ingestCount = options.ingests ?? options.processes
        let free = try FreePorts.take(2 * (2 * indices.count + ingestCount))
        func ports(_ service: Int, _ index: Int) -> (http: Int, admin: Int) {
            let first = 2 * (service * indices.count + index)
            return (free[first], free[first + 1])
        }
        func member(_ index: Int) -> [String: String] {
            options.areMembersNamed ? ["KAFKA_MEMBER": "worker-\(index + 1)"] : [:]
        }
        func worker(
            _ program: String, _ number: Int, _ ports: (http: Int, admin: Int), _ environment: [String: String]
        ) -> Worker {
            let name = "\(program) \(number)"
            let process = DemoProcess(
                name: name, program: programs.appending(path: program), arguments: ["serve"], environment: environment,
                log: workspace.logs.appending(path: "\(program)-\(number).log"))
            return Worker(
                process: process, address: "http://127.0.0.1:\(ports.http)",
                admin: "http://127.0.0.1:\(ports.admin)")
        }
        let ingests = (0..<ingestCount).map { index in
            let own = ports(2, index)
            return worker("token-ingest", index + 1, own, settings.ingest(http: own.http, admin: own.admin))
        }
        let gateways = indices.map { index in
            let own = ports(0, index)
            // Gateway 1's notifications go to gateway 2 and the other way round: any instance accepts them.
            let next = ports(0, (index + 1) % options.processes)
            return worker(
                "charge-gateway", index + 1, own,
                settings.gateway(
                    http: own.http, admin: own.admin, notifications: "http://127.0.0.1:\(next.http)"
                ).merging(member(index)) { $1 })
        }
        let ledgerSettings = indices.map { index in
            let own = ports(1, index)
            return (own, settings.ledger(http: own.http, admin: own.admin).merging(member(index)) { $1 })
        }
        return DemoEnvironment(
            workspace: workspace, kafka: kafka, cluster: cluster, wallet: wallet, acquirer: acquirer,
            acquirerAddress: acquirerAddress, gate: gate, ingests: ingests, gateways: gateways,
            ledgers: ledgerSettings.enumerated().map { index, ledger in
                worker("order-ledger", index + 1, ledger.0, ledger.1)
            },
            programs: programs, ledgerEnvironment: ledgerSettings[0].1)
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

    /// The owner makes the schemas, then the services' login roles, each with only the rights of its service role.
    private func prepareDatabases(_ cluster: PrivateCluster, _ programs: URL) async throws {
        for (program, name, role) in [
            ("charge-gateway", "gateway", "gateway_service"), ("order-ledger", "ledger", "ledger_service"),
        ] {
            let owner = cluster.connectionString.replacing("dbname=postgres", with: "dbname=\(name)")
            let migration = try await ProgramRun.demo(
                programs.appending(path: program), ["migrate"], environment: ["POSTGRES_URL": owner])
            guard migration.status == 0 else {
                throw DemoError("\(program) migrate failed:\n\(migration.output)")
            }
            let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: owner))
            try await connection.script("CREATE ROLE orchard_\(name) LOGIN IN ROLE \(role)")
            await connection.close()
        }
    }

    private func startAcquirer(_ workspace: Workspace, _ programs: URL) async throws -> (DemoProcess, String) {
        let accounts = workspace.merchants.map(\.account)
        let port = try FreePorts.take(1)[0]
        var (program, arguments): (URL, [String])
        if let oracles {
            try await oracles.makeAcquirer(in: workspace.acquirer, accounts: accounts)
            (program, arguments) = oracles.serveAcquirer(workspace.acquirer, port: port)
        } else {
            try AcquirerPKI(merchants: accounts, serialBits: 40).save(to: workspace.acquirer)
            program = programs.appending(path: "sandbox")
            arguments = ["acquirer", "serve", workspace.acquirer.path, "--port", "\(port)", "--time-scale", "0.02"]
            // A visitor's cart costs what it costs.
            if options.web != nil { arguments.append("--plain-amounts") }
        }
        let process = DemoProcess(
            name: "acquirer", program: program, arguments: arguments, environment: [:],
            log: workspace.logs.appending(path: "acquirer.log"))
        try process.start()
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
