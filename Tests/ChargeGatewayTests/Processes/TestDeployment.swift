import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import SandboxAcquirer
import SandboxBroker
import SandboxDatabase
import TestSupport
import Testing

@testable import ChargeGateway

/// A broker, a database and a simulated UnionPay, all real, for gateways that are real processes.
struct TestDeployment: Sendable {
    let shop: Shop
    let broker: BrokerProcess
    let acquirer: AcquirerServer
    /// Superuser of the gateway's database.
    let owner: PostgresConnection
    private let producer: KafkaProducer
    private let environment: [String: String]
    /// The gateway's database: its name, and that of the gateway's login.
    let name: String

    static let topics = [Topic.charges, .journal, Topic.charges.deadLetters].map {
        BrokerTopic(name: $0.name, partitions: Int(Shop.partitions))
    }

    /// - Parameter cluster: a cluster of the test's own, whose end is the test's affair; nil for the tests' common one.
    static func with(
        isMigrated: Bool = true, on cluster: PrivateCluster? = nil, _ body: (TestDeployment) async throws -> Void
    ) async throws {
        let server = try #require(
            cluster?.connectionString ?? TestGateway.server,
            "run `make test`, or Tests/Servers/run swift test --filter …")
        let name = "town_\(UInt64.random(in: 0 ... .max))"
        let admin = try await PostgresConnection.connect(PostgresConfiguration(connectionString: server))
        try await admin.execute("CREATE DATABASE \(name)")
        let url = "\(server) dbname=\(name)"
        let owner = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        if isMigrated {
            let migrate = try TestProcess("charge-gateway", ["migrate"], ["POSTGRES_URL": url])
            #expect(try await migrate.status() == 0, "\(migrate.log)")
            try await owner.execute("CREATE ROLE \(name) LOGIN IN ROLE \(GatewaySchema.serviceRole)")
        } else {
            try await owner.execute("CREATE ROLE \(name) LOGIN")
        }
        let logger = Logger(label: "town")
        let shop = try Shop()
        let pki = try Shop.acquirerPKI.get()
        try pki.save(to: shop.folder)
        let acquirer = try AcquirerServer(pki: pki, logger: logger)
        let broker = try BrokerProcess(topics: topics)
        let producer = try KafkaProducer(
            KafkaConfiguration(bootstrapServers: broker.bootstrapServers, clientID: "test"), logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await acquirer.run() }
            group.addTask { try await producer.run() }
            let environment = [
                "POSTGRES_URL": "\(url) user=\(name)", "KAFKA_BOOTSTRAP_SERVERS": broker.bootstrapServers,
                "MERCHANTS": shop.file("merchants.json"), "TICKET_KEYS": shop.file("tickets.json"),
                "SEALING_KEYS": shop.file("sealing.json"),
                "UNIONPAY_URL": "http://127.0.0.1:\(try await acquirer.boundPort)",
                "UNIONPAY_ROOT": shop.file("unionpay_root.pem"), "UNIONPAY_MIDDLE": shop.file("unionpay_middle.pem"),
            ]
            try await body(
                TestDeployment(
                    shop: shop, broker: broker, acquirer: acquirer, owner: owner, producer: producer,
                    environment: environment, name: name))
            group.cancelAll()
        }
        await owner.close()
        if cluster == nil { try await admin.execute("DROP DATABASE \(name) WITH (FORCE)") }
        await admin.close()
    }

    /// Starts a gateway; the acquirer is told to notify its port.
    func gateway(_ more: [String: String] = [:]) throws -> TestProcess {
        let port = try FreePorts.take(1)[0]
        let notifications = ["UNIONPAY_NOTIFICATIONS": "http://127.0.0.1:\(port)/v1/notifications/unionpay"]
        return try TestProcess(
            "charge-gateway", ["serve", "--http-port", "\(port)", "--admin-port", "0"],
            environment.merging(notifications) { $1 }.merging(more) { $1 })
    }

    /// Runs another command of the gateway.
    func run(_ arguments: [String], _ more: [String: String]) throws -> TestProcess {
        try TestProcess(
            "charge-gateway", arguments + ["--kafka-partitions", "\(Shop.partitions)"],
            environment.merging(more) { $1 })
    }

    /// Runs a command that needs no number of partitions.
    func command(_ arguments: [String], _ more: [String: String]) throws -> TestProcess {
        try TestProcess("charge-gateway", arguments, environment.merging(more) { $1 })
    }

    /// Publishes commands as token-ingest and order-ledger do.
    func publish(_ commands: [Contracts.Command]) async throws {
        _ = try await producer.send(
            contentsOf: commands.map { command in
                let event = CloudEvent(command, source: "/test", time: .now)
                return KafkaMessage(
                    topic: Topic.charges.name,
                    partition: Partitioner.partition(of: command.order, among: Shop.partitions), key: event.key,
                    value: event.data, headers: event.headers.map { KafkaHeader($0.name, $0.value) })
            })
    }

    /// The words of each order's facts on the journal, duplicates left out.
    func journal() async throws -> [OrderID: [String]] {
        let reader = try KafkaReader(
            KafkaConfiguration(bootstrapServers: broker.bootstrapServers, clientID: "test"), logger: Logger(label: "x"))
        let facts = Locked<[OrderID: [String]]>([:])
        let seen = Locked<Set<EventID>>([])
        for partition in 0..<Shop.partitions {
            try await reader.read(TopicPartition(Topic.journal.name, partition)) { records in
                for record in records {
                    let event = try CloudEvent(
                        headers: record.headers.map { (name: $0.name, value: $0.value) }, value: record.value)
                    guard seen.withLock({ $0.insert(event.id).inserted }) else { continue }
                    let fact = try Fact(type: event.type, value: event.data)
                    facts.withLock { $0[fact.order, default: []].append(fact.summary) }
                }
            }
        }
        return facts.withLock { $0 }
    }

    /// Everything that the topics hold, as text: the headers and the value of each record.
    func texts() async throws -> [String] {
        let reader = try KafkaReader(
            KafkaConfiguration(bootstrapServers: broker.bootstrapServers, clientID: "test"), logger: Logger(label: "x"))
        let texts = Locked<[String]>([])
        for topic in Self.topics {
            for partition in 0..<Shop.partitions {
                try await reader.read(TopicPartition(topic.name, partition)) { records in
                    let parts = records.flatMap { [$0.value] + $0.headers.map(\.value) }
                    texts.withLock { $0 += parts.map { String(decoding: $0, as: UTF8.self) } }
                }
            }
        }
        return texts.withLock { $0 }
    }

    /// How often each payment was charged, by the acquirer's own book.
    func charged() async throws -> [String: Int] {
        let book = try await acquirer.control("GET book").array ?? []
        var sales: [String: Int] = [:]
        for row in book where row["state"]?.string == "success" {
            sales[row["reqReserved"]?.string ?? "", default: 0] += 1
        }
        return sales
    }
}
