import Contracts
import Foundation
import KafkaBridge
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import SandboxBroker
import SandboxDatabase
import SandboxProcesses

/// A charge-gateway with its own database and topics, and the sandbox acquirer that it charges.
struct BenchGateway {
    private let bench: Bench
    private let owner: PostgresConnection
    /// libpq's connection string of its owner.
    let database: String
    private let kafka: KafkaConfiguration
    private let environment: [String: String]
    private let port: Int
    private let ticketKey: P256PrivateKey
    private let sealingKey: P256PrivateKey
    private let registry: MerchantRegistry
    let acquirer: ChildProcess
    let partitions: Int32
    /// PostgreSQL's process.
    var server: Int32 { bench.cluster.processID }

    private static let account = "777290058110048"

    /// - Parameter name: the name of its database.
    init(_ bench: Bench, named name: String, partitions: Int32 = 4) async throws {
        (self.bench, self.partitions) = (bench, partitions)
        let namespace = "bench-\(UInt32.random(in: 0 ... .max))."
        kafka = KafkaConfiguration(bootstrapServers: bench.bootstrapServers, clientID: "bench", namespace: namespace)
        let folder = bench.folder.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let admin = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: bench.cluster.connectionString))
        try await admin.execute("CREATE DATABASE \(name)")
        await admin.close()
        let url = bench.cluster.connectionString.replacing("dbname=postgres", with: "dbname=\(name)")
        try await Bench.run(bench.programs.appending(path: "charge-gateway"), ["migrate"], ["POSTGRES_URL": url])
        database = url
        owner = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        try await owner.execute("CREATE ROLE bench_\(name) LOGIN IN ROLE gateway_service")

        let sandbox = bench.programs.appending(path: "sandbox")
        try await Bench.run(sandbox, ["acquirer", "init", folder.path, "--mer-id", Self.account])
        (ticketKey, sealingKey) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        registry = try MerchantRegistry(parsing: Array(Self.merchants.utf8))
        let files: [(String, [UInt8])] = [
            ("merchants.json", Array(Self.merchants.utf8)),
            ("tickets.json", try JWKSet([JWK(keyID: "tickets", publicKey: ticketKey.publicKey)]).json()),
            ("sealing.json", try JWKSet([JWK(keyID: "sealing", privateKey: sealingKey)]).json()),
        ]
        for (name, bytes) in files {
            let file = folder.appending(path: name)
            try Data(bytes).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        let ports = try FreePorts.take(2)
        port = ports[0]
        acquirer = try bench.start("sandbox", ["acquirer", "serve", folder.path, "--port", "\(ports[1])"], [:])
        func path(_ name: String) -> String { folder.appending(path: name).path }
        environment = [
            "POSTGRES_URL": url.replacing("user=postgres", with: "user=bench_\(name)"),
            "KAFKA_BOOTSTRAP_SERVERS": bench.bootstrapServers, "KAFKA_NAMESPACE": namespace,
            "KAFKA_PARTITIONS": "\(partitions)", "MERCHANTS": path("merchants.json"),
            "TICKET_KEYS": path("tickets.json"), "SEALING_KEYS": path("sealing.json"),
            "UNIONPAY_URL": "http://127.0.0.1:\(ports[1])", "UNIONPAY_ROOT": path("unionpay_root.pem"),
            "UNIONPAY_MIDDLE": path("unionpay_middle.pem"),
            "UNIONPAY_NOTIFICATIONS": "http://127.0.0.1:\(port)/v1/notifications/unionpay", "LOG_LEVEL": "error",
        ]
        try await Bench.run(bench.programs.appending(path: "order-ledger"), ["topics", "create"], environment)
    }

    /// - Parameter worker: one of several; nil uses the port to which the acquirer's notifications go.
    func serve(_ worker: BenchWorker? = nil) throws -> ChildProcess {
        try bench.start(
            "charge-gateway",
            ["serve", "--http-port", "\(worker?.port ?? port)", "--admin-port", "\(worker?.adminPort ?? 0)"],
            environment.merging(worker?.environment ?? [:]) { $1 })
    }

    /// Publishes commands to charge, as token-ingest does.
    ///
    /// - Returns: the number of commands.
    func publish(_ count: Int) async throws -> Int {
        let producer = try KafkaProducer(kafka, options: .keepingOrder, logger: Logger(label: "bench", level: .error))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await producer.run() }
            for start in stride(from: 0, to: count, by: 200) {
                let commands = try (start..<min(start + 200, count)).map { try command(Int32($0) % partitions) }
                _ = try await producer.send(contentsOf: commands)
            }
            group.cancelAll()
        }
        return count
    }

    private func command(_ partition: Int32) throws -> KafkaMessage {
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        var order: OrderID
        repeat {
            order = OrderID(time: now, randomness: SecureRandom.bytes(10))
        } while Partitioner.partition(of: order, among: partitions) != partition
        let payment = PaymentID(hash: SecureRandom.bytes(32))
        let issued = Timestamp(seconds: now.seconds)
        let ticket = try TicketSigner(keyID: "tickets", key: ticketKey).sign(
            OrderTicket(
                order: order, merchant: BenchPayment.merchant, revision: 1,
                amount: Money(minorUnits: 10_000, currency: .cny), networks: [.chinaUnionPay],
                routes: registry[BenchPayment.merchant]?.ticketRoutes(in: .cny) ?? [],
                linesDigest: Array(repeating: 0, count: 32), partitions: partitions, issuedAt: issued,
                expiresAt: issued + .seconds(600)))
        var card = CardData.Builder()
        for (field, value) in Self.card { try card.add(field, Array(value.utf8)) }
        let sealed = try card.finish().withEncoded { encoded in
            try JWE.seal(
                SecretBytes(copying: encoded), to: sealingKey.publicKey, keyID: "sealing", apu: payment.bytes,
                apv: SHA256.hash(Array(ticket.utf8)))
        }
        guard let summary = CardSummary(network: .chinaUnionPay, lastFour: "3629", paymentData: .emv) else {
            throw BenchError("the example card is invalid")
        }
        let event = CloudEvent(
            Command.charge(
                ChargeRequested(
                    order: order, payment: payment, ticket: ticket, card: summary, sealedCard: sealed, signedAt: now)),
            source: EventSource.tokenIngest.rawValue, time: now)
        return KafkaMessage(
            topic: Topic.charges.name, partition: partition, key: event.key, value: event.data,
            headers: event.headers.map { KafkaHeader($0.name, $0.value) })
    }

    func count(_ condition: String) async throws -> Int {
        let rows = try await owner.query("SELECT count(*) AS n FROM gateway.operations WHERE \(condition)")
        return try rows[0].int("n")
    }

    /// The transactions that the database has committed, by its own count.
    func commits() async throws -> Int {
        _ = try await owner.query("SELECT pg_stat_clear_snapshot()")
        let rows = try await owner.query(
            "SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()")
        return try rows[0].int("n")
    }

    /// Adds charges that were sent and whose next query is tomorrow.
    func leaveWaiting(_ count: Int) async throws {
        try await owner.execute(
            """
            INSERT INTO gateway.orders (partition, order_id, due_at, due_step, due_acquirer, due_account)
            SELECT i % $2, md5('order' || i)::uuid, now() + interval '1 day', 'query', 'unionpay', $3
            FROM generate_series(1, $1) AS i
            """, [Int64(count), Int64(partitions), Self.account])
        try await owner.execute(
            """
            INSERT INTO gateway.operations (partition, order_id, payment_id, number, merchant_id, revision, amount, currency,
                expires_at, signed_at, route_id, route_digest, acquirer, account, order_number, transaction_time, phase,
                transition, sends, unsent, is_sending, sent_at, open_since, is_unknown_told, queries, is_known_there,
                is_recovered, holds_card, next_step, next_at)
            SELECT i % $2, md5('order' || i)::uuid, md5('payment' || i)::uuid, 0, merchant_id, revision, amount, currency,
                expires_at, signed_at, route_id, route_digest, acquirer, account, md5('payment' || i), transaction_time,
                'pending', 2, 1, 0, false, sent_at, sent_at, false, 0, true, false, false, 'query',
                now() + interval '1 day'
            FROM (SELECT * FROM gateway.operations WHERE phase = 'succeeded' LIMIT 1) AS model,
                generate_series(1, $1) AS i
            """, [Int64(count), Int64(partitions)])
    }

    /// Does what PostgreSQL would else do for so many new rows during a measurement. Both measurements that are compared
    /// begin so: after a checkpoint each page is written whole once.
    func tidyTables() async throws {
        for table in ["orders", "operations"] { try await owner.script("VACUUM ANALYZE gateway.\(table)") }
        try await owner.script("CHECKPOINT")
    }

    /// Counting reads the whole table, on the server that is measured: it looks again when half of what is left may have
    /// ended.
    func untilEnded(_ count: Int) async throws {
        let begun = ContinuousClock.now
        func ended() async throws -> Int { try await self.count("phase IN ('succeeded', 'declined', 'refused')") }
        let before = try await ended()
        var now = before
        while now < count {
            let seconds = (ContinuousClock.now - begun) / .seconds(1)
            guard seconds < 900 else { throw BenchError("charge-gateway does not end its charges") }
            let rate = Double(now - before) / max(seconds, 0.1)
            try await Task.sleep(for: .seconds(min(max(Double(count - now) / max(rate, 1) / 2, 0.1), 1)))
            now = try await ended()
        }
    }

    private static let card: [(CardData.Field, String)] = [
        (.accountNumber, "6259020040003629"), (.expirationDate, "301231"),
        (.emvData, "nyYI/RZhrTzcBF+fNgIAAYECACGDBN6tvu8="),
        (.encryptedPIN, "8110e8d9ea8afc5c6147b09e7cd2d8db88b8208002"),
    ]

    private static let merchants = """
        {"merchants": [{"id": "\(BenchPayment.merchant)", "displayName": "Bench", "countryCode": "CN",
          "networks": ["chinaUnionPay"],
          "applePay": {"merchantIdentifier": "merchant.example.bench", "keys": [{"key": "key.pem"}]},
          "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "\(account)",
            "currencies": ["CNY"], "paymentData": ["EMV"], "settings": {"signingKey": "merchant.key",
            "signingCertificate": "merchant.pem"}}],
          "apiKeys": [{"id": "shop", "sha256": "\(String(repeating: "0", count: 64))"}]}]}
        """
}
