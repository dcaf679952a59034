import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import SandboxAcquirer
import SandboxBroker
import SandboxProcesses
import TestSupport
import Testing

/// Everything that order-ledger and charge-gateway need, all real but the acquirer: two databases, a broker, keys and a
/// merchant. The test stands for token-ingest.
struct TestServices: Sendable {
    static let merchant = MerchantID(hash: Array(repeating: 7, count: 32))
    static let account = "777290058110048"
    static let partitions: Int32 = 4

    let acquirer: AcquirerServer
    /// Superusers of the two databases.
    let gatewayOwner: PostgresConnection
    let ledgerOwner: PostgresConnection
    private let gatewayDatabase: TestDatabase
    private let producer: KafkaProducer
    private let sealingKey: P256PublicKey
    private let gatewayEnvironment: [String: String]
    private let ledgerEnvironment: [String: String]
    static let apiKey = "the-shop-s-key"

    static func with(_ body: (TestServices) async throws -> Void) async throws {
        try await TestDatabase.with { gateway in
            try await TestDatabase.with { ledger in try await with(gateway, ledger, body) }
        }
    }

    /// Made once: its keys take seconds.
    private static let acquirerPKI = Result { try AcquirerPKI(merchants: [account]) }

    private static func with(
        _ gateway: TestDatabase, _ ledger: TestDatabase, _ body: (TestServices) async throws -> Void
    ) async throws {
        let logger = Logger(label: "services")
        let folder = try TemporaryFolder()
        let pki = try Self.acquirerPKI.get()
        try pki.save(to: folder.url)
        let acquirer = try AcquirerServer(pki: pki, logger: logger)
        let broker = try BrokerProcess(
            topics: Topic.all.map { BrokerTopic(name: $0.name, partitions: Int(partitions)) })
        let producer = try KafkaProducer(
            KafkaConfiguration(bootstrapServers: broker.bootstrapServers, clientID: "test"), logger: logger)
        let (gatewayOwner, ledgerOwner) = (
            try await owner(of: gateway, "charge-gateway", role: "gateway_service"),
            try await owner(of: ledger, "order-ledger", role: "ledger_service")
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await acquirer.run() }
            group.addTask { try await producer.run() }
            defer { group.cancelAll() }
            let services = try TestServices(
                acquirer, try await acquirer.boundPort, gateway, gatewayOwner, ledger, ledgerOwner, broker, producer,
                folder)
            try await body(services)
        }
        for (database, owner) in [(gateway, gatewayOwner), (ledger, ledgerOwner)] {
            try await owner.execute("DROP OWNED BY \(database.name)")
            try await owner.execute("DROP ROLE \(database.name)")
            await owner.close()
        }
    }

    /// Migrates a database, and makes the role that the service logs in as.
    private static func owner(
        of database: TestDatabase, _ program: String, role: String
    ) async throws -> PostgresConnection {
        let migration = try TestProcess(
            program, ["migrate"], ["POSTGRES_URL": database.configuration.connectionString])
        #expect(try await migration.status() == 0, "\(migration.log)")
        let owner = try await PostgresConnection.connect(database.configuration)
        try await owner.execute("CREATE ROLE \(database.name) LOGIN IN ROLE \(role)")
        return owner
    }

    private init(
        _ acquirer: AcquirerServer, _ port: Int, _ gateway: TestDatabase, _ gatewayOwner: PostgresConnection,
        _ ledger: TestDatabase, _ ledgerOwner: PostgresConnection, _ broker: BrokerProcess, _ producer: KafkaProducer,
        _ folder: TemporaryFolder
    ) throws {
        (self.acquirer, self.producer, gatewayDatabase) = (acquirer, producer, gateway)
        (self.gatewayOwner, self.ledgerOwner) = (gatewayOwner, ledgerOwner)
        let (tickets, sealing, contacts) = (
            try P256PrivateKey.generate(), try P256PrivateKey.generate(), try P256PrivateKey.generate()
        )
        sealingKey = sealing.publicKey
        func path(_ name: String) -> String { folder.url.appending(path: name).path }
        func write(_ bytes: [UInt8], _ name: String) throws {
            try writePrivately(bytes, to: folder.url.appending(path: name))
        }
        try tickets.pem.withBytes { try write($0, "ticket.pem") }
        try write(JWKSet([JWK(keyID: "tickets", publicKey: tickets.publicKey)]).json(), "tickets.json")
        try write(JWKSet([JWK(keyID: "sealing", privateKey: sealing)]).json(), "sealing.json")
        try write(JWKSet([JWK(keyID: "contacts", privateKey: contacts)]).json(), "contacts.json")
        try write(Array(Self.merchants.utf8), "merchants.json")
        let common = [
            "KAFKA_BOOTSTRAP_SERVERS": broker.bootstrapServers, "KAFKA_PARTITIONS": "\(Self.partitions)",
            "MERCHANTS": path("merchants.json"), "TICKET_KEYS": path("tickets.json"),
        ]
        let address = "http://127.0.0.1:\(port)"
        gatewayEnvironment = common.merging([
            "POSTGRES_URL": gateway.configuration(as: gateway.name).connectionString,
            "SEALING_KEYS": path("sealing.json"), "UNIONPAY_URL": address, "UNIONPAY_SETTLEMENT_URL": "\(address)/file",
            "UNIONPAY_ROOT": path("unionpay_root.pem"), "UNIONPAY_MIDDLE": path("unionpay_middle.pem"),
        ]) { $1 }
        ledgerEnvironment = common.merging([
            "POSTGRES_URL": ledger.configuration(as: ledger.name).connectionString,
            "TICKET_SIGNING_KEY": path("ticket.pem"), "CONTACT_KEYS": path("contacts.json"),
        ]) { $1 }
        self.broker = broker
        self.folder = folder
    }

    /// They live as long as the services.
    private let broker: BrokerProcess
    private let folder: TemporaryFolder

    /// Another superuser's connection to the gateway's database.
    func gatewayConnection() async throws -> PostgresConnection {
        try await PostgresConnection.connect(gatewayDatabase.configuration)
    }

    /// Starts a gateway that looks for settlement files several times a second.
    func gateway() throws -> TestProcess {
        let port = try FreePorts.take(1)[0]
        return try TestProcess(
            "charge-gateway", ["serve", "--http-port", "\(port)", "--admin-port", "0"],
            gatewayEnvironment.merging([
                "UNIONPAY_NOTIFICATIONS": "http://127.0.0.1:\(port)/v1/notifications/unionpay",
                "SETTLEMENT_INTERVAL": "200ms", "SETTLEMENT_MARGIN": "0s",
            ]) { $1 })
    }

    func ledger() throws -> TestProcess {
        try TestProcess("order-ledger", ["serve", "--http-port", "0", "--admin-port", "0"], ledgerEnvironment)
    }

    /// Runs another command of order-ledger to its end.
    func command(_ arguments: String...) async throws -> (status: Int32, output: String) {
        let process = try TestProcess("order-ledger", arguments, ledgerEnvironment)
        return (try await process.status(), process.log)
    }

    /// Publishes the command to charge an order, as token-ingest does.
    func charge(_ order: OrderID, ticket: String) async throws {
        let payment = PaymentID(hash: SecureRandom.bytes(32))
        var card = CardData.Builder()
        for (field, value) in [
            (CardData.Field.accountNumber, "6259020040003629"), (.expirationDate, "301231"),
            (.emvData, "nyYI/RZhrTzcBF+fNgIAAYECACGDBN6tvu8="),
        ] {
            try card.add(field, Array(value.utf8))
        }
        let sealed = try card.finish().withEncoded { encoded in
            try JWE.seal(
                SecretBytes(copying: encoded), to: sealingKey, keyID: "sealing", apu: payment.bytes,
                apv: SHA256.hash(Array(ticket.utf8)))
        }
        let summary = try #require(CardSummary(network: .chinaUnionPay, lastFour: "3629", paymentData: .emv))
        let command = Contracts.Command.charge(
            ChargeRequested(
                order: order, payment: payment, ticket: ticket, card: summary, sealedCard: sealed, signedAt: .now))
        let event = CloudEvent(command, source: "/test", time: .now)
        _ = try await producer.send(contentsOf: [
            KafkaMessage(
                topic: Topic.charges.name, partition: Partitioner.partition(of: order, among: Self.partitions),
                key: event.key, value: event.data, headers: event.headers.map { KafkaHeader($0.name, $0.value) })
        ])
    }

    private static let merchants = """
        {"merchants":[{"id":"\(merchant)","displayName":"Tea House","countryCode":"CN","networks":["chinaUnionPay"],
        "applePay":{"merchantIdentifier":"merchant.example","keys":[{"key":"a.pem"}]},
        "routes":[{"id":"unionpay-1","acquirer":"unionpay","environment":"test","account":"\(account)","currencies":["CNY"],
        "paymentData":["EMV"],"settings":{"signingKey":"merchant.key","signingCertificate":"merchant.pem"}}],
        "apiKeys":[{"id":"shop","sha256":"\(Hex.encode(SHA256.hash(Array(apiKey.utf8))))"}]}]}
        """
}
