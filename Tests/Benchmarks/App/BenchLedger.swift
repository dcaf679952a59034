import Contracts
import Foundation
import KafkaBridge
import OrchardCrypto
import OrchardPostgres
import OrchardServiceKit
import SandboxBroker
import SandboxDatabase
import SandboxProcesses

/// An order-ledger with its own database and topics.
struct BenchLedger {
    let bench: Bench
    let owner: PostgresConnection
    let kafka: KafkaConfiguration
    let database: String
    private let environment: [String: String]
    let partitions: Int32
    /// The API key of its shop.
    static let apiKey = "bench-api-key"

    /// - Parameter name: the name of its database.
    init(_ bench: Bench, named name: String, partitions: Int32 = 4) async throws {
        (self.bench, self.partitions) = (bench, partitions)
        let namespace = "bench-\(UInt32.random(in: 0 ... .max))."
        kafka = KafkaConfiguration(bootstrapServers: bench.bootstrapServers, clientID: "bench", namespace: namespace)
        let admin = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: bench.cluster.connectionString))
        try await admin.execute("CREATE DATABASE \(name)")
        await admin.close()
        let url = bench.cluster.connectionString.replacing("dbname=postgres", with: "dbname=\(name)")
        let program = bench.programs.appending(path: "order-ledger")
        try await Bench.run(program, ["migrate"], ["POSTGRES_URL": url])
        database = url
        owner = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        try await owner.execute("CREATE ROLE bench_\(name) LOGIN IN ROLE ledger_service")
        let key = bench.folder.appending(path: "\(name)-ticket.pem")
        let set = bench.folder.appending(path: "\(name)-tickets.json")
        try await Bench.run(program, ["keys", "add", "--key", key.path, "--set", set.path])
        let contactKeys = bench.folder.appending(path: "\(name)-contact.json")
        try await Bench.run(
            program,
            [
                "contact-keys", "add", "--private", contactKeys.path, "--public",
                bench.folder.appending(path: "\(name)-contact-public.json").path,
            ])
        let merchants = bench.folder.appending(path: "merchants.json")
        try Data(Self.merchants.utf8).write(to: merchants)
        environment = [
            "POSTGRES_URL": url.replacing("user=postgres", with: "user=bench_\(name)"),
            "KAFKA_BOOTSTRAP_SERVERS": bench.bootstrapServers, "KAFKA_NAMESPACE": namespace,
            "KAFKA_PARTITIONS": "\(partitions)", "MERCHANTS": merchants.path, "TICKET_SIGNING_KEY": key.path,
            "TICKET_KEYS": set.path, "CONTACT_KEYS": contactKeys.path, "HTTP_HOST": "127.0.0.1",
            "ADMIN_HOST": "127.0.0.1", "LOG_LEVEL": "error", "LIMIT_KEY": "0", "LIMIT_TICKET": "0",
        ]
        try await Bench.run(program, ["topics", "create"], environment)
    }

    /// Publishes three facts for each payment, as the two services do: opened, accepted, succeeded.
    ///
    /// - Returns: the number of facts.
    func publish(payments: Int) async throws -> Int {
        let producer = try KafkaProducer(kafka, options: .keepingOrder, logger: Logger(label: "bench", level: .error))
        var numbers: [String: Int64] = [:]
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        func message(_ fact: Fact, _ index: Int) -> KafkaMessage {
            let partition = Partitioner.partition(of: fact.order, among: partitions)
            let stream = "\(fact.source.stream) \(partition)"
            numbers[stream, default: 0] += 1
            let event = CloudEvent(
                id: fact.id, type: fact.type, source: fact.source.rawValue, time: now, subject: fact.order,
                stream: .init(stream: fact.source.stream, sequence: numbers[stream] ?? 0), data: fact.json)
            return KafkaMessage(
                topic: Topic.journal.name, partition: partition, key: event.key, value: event.data,
                headers: event.headers.map { KafkaHeader($0.name, $0.value) })
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await producer.run() }
            for start in stride(from: 0, to: payments, by: 500) {
                let messages = try (start..<min(start + 500, payments)).flatMap { index in
                    try BenchPayment(index, at: now, partitions).facts.map { message($0, index) }
                }
                _ = try await producer.send(contentsOf: messages)
            }
            group.cancelAll()
        }
        // The facts of order-ledger itself: the numbers that its outbox has given.
        for partition in 0..<partitions {
            guard let last = numbers["order-ledger \(partition)"] else { continue }
            try await owner.execute(
                "INSERT INTO ledger.outbox_streams (partition, topic, last_sequence) VALUES ($1, $2, $3)",
                [partition, Topic.journal.name, last])
        }
        return payments * 3
    }

    /// - Parameter port: the port of its API; 0 takes any free one.
    func serve(port: Int = 0) throws -> ChildProcess { try serve(BenchWorker(port: port, adminPort: 0, member: nil)) }

    /// One worker of several.
    func serve(_ worker: BenchWorker) throws -> ChildProcess {
        try bench.start(
            "order-ledger", ["serve", "--http-port", "\(worker.port)", "--admin-port", "\(worker.adminPort)"],
            environment.merging(worker.environment) { $1 })
    }

    /// A request that opens an order.
    static let opening: [UInt8] = {
        let body = #"{"currency":"CNY","lines":[{"label":"Tea","quantity":2,"unitAmount":"50.00","tax":"6.00"}]}"#
        let head = """
            POST /v1/orders HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(apiKey)\r
            Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n
            """
        return Array((head + body).utf8)
    }()

    /// The number of facts in the books.
    func folded() async throws -> Int {
        let rows = try await owner.query(
            "SELECT coalesce(sum(count), 0)::bigint AS count FROM ledger.inbox_watermarks WHERE topic = $1",
            [Topic.journal.name])
        return try rows.first.map { Int(try $0.int64("count")) } ?? 0
    }

    func untilFolded(_ isEnough: (Int) -> Bool) async throws {
        var (count, since) = (try await folded(), ContinuousClock.now)
        while !isEnough(count) {
            try await Task.sleep(for: .milliseconds(20))
            let now = try await folded()
            if now > count { (count, since) = (now, .now) }
            guard since + .seconds(60) > .now else { throw BenchError("order-ledger does not fold") }
        }
    }

    /// Makes PostgreSQL a server that has run for a while: its buffers have their memory, and the files of its
    /// write-ahead log are there to be used again. On a new server the later facts of a row pay more for both than the
    /// first ones, whatever the size of the books.
    func warmUp(facts: Int) async throws {
        // A fact takes 1.5 KB of the log; two gigabytes are all buffers.
        let bytes = min(facts * 1_700, 2 << 30)
        try await owner.execute("CREATE TABLE public.filler (filler text)")
        // Each takes a quarter of a page, and is too short to be compressed.
        try await owner.execute(
            "INSERT INTO public.filler SELECT repeat('x', 1900) FROM generate_series(1, $1)", [Int64(bytes / 2_048)])
        try await owner.execute("DROP TABLE public.filler")
        // It renames the files of the log that are not needed any more: they become the next ones.
        try await owner.execute("CHECKPOINT")
    }

    /// Lets PostgreSQL end its own work on what was just written, which it else does beside what is measured. No shop opened
    /// the orders of these facts: they count as those of a lost database.
    func settle() async throws {
        try await owner.execute("UPDATE ledger.inbox_watermarks SET mark = next_offset")
        try await owner.execute("VACUUM (ANALYZE)")
        try await owner.execute("CHECKPOINT")
    }

    /// Runs a command over all facts three times: the rate is that of the second fastest run, the costs are those of all.
    func time(
        _ command: String, _ facts: Int, _ yardstick: (name: String, value: Double), alarm: Double? = nil
    ) async throws -> Row {
        func used() -> [Double] { [ProcessTime.ofEndedChildren(), ProcessTime.seconds(of: bench.cluster.processID)] }
        let before = used()
        var seconds: [Double] = []
        for _ in 0..<3 {
            let begun = ContinuousClock.now
            try await Bench.run(bench.programs.appending(path: "order-ledger"), [command], environment)
            seconds.append((ContinuousClock.now - begun) / .seconds(1))
        }
        let costs = zip(before, used()).map { String(format: "%.0f", ($1 - $0) / Double(3 * facts) * 1e6) }
        return Row(
            name: "order-ledger \(command)", value: Double(facts) / seconds.sorted()[1], unit: "facts/s",
            yardstick: yardstick, bound: .atLeast(60_000), aim: .atLeast(100_000), alarm: alarm,
            remark: "\(costs[0]) µs of order-ledger and \(costs[1]) µs of PostgreSQL a fact; the median of 3 runs")
    }

    private static let merchants = """
        {"merchants": [{"id": "\(BenchPayment.merchant)", "displayName": "Bench", "countryCode": "CN",
          "networks": ["chinaUnionPay"],
          "applePay": {"merchantIdentifier": "merchant.example.bench", "keys": [{"key": "key.pem"}]},
          "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "777290058110048",
            "currencies": ["CNY"], "paymentData": ["EMV"], "settings": {"signingKey": "k.pem", "signingCertificate": "c.pem"}}],
          "apiKeys": [{"id": "shop", "sha256": "\(Hex.encode(SHA256.hash(apiKey)))"}]}]}
        """
}
