import CYardstick
import Contracts
import Foundation
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit
import SandboxBroker
import SandboxPKI
import SandboxProcesses
import SandboxWallet

/// Payments that devices send to a real token-ingest, each acknowledged by all replicas before its answer.
struct PaymentBenchmark: Benchmark {
    let name = "payments"
    let limit = """
        The primitives of a payment take half of it: the signatures of ticket and token are verified, a key is agreed on, \
        and the card data are sealed. The rest is JSON, HTTP and Kafka.
        """
    private static let connections: Int32 = 32
    private static let merchant = "merchant.example.bench"
    private static let partitions: Int32 = 4

    func run(on bench: Bench) async throws -> [Row] {
        let folder = bench.folder.appending(path: "ingest")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func path(_ name: String) -> String { folder.appending(path: name).path }
        let wallet = try Wallet(merchants: [Self.merchant])
        let (ticketKey, sealingKey) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let registry = try MerchantRegistry(parsing: Array(Self.merchants.utf8))
        let files: [(String, [UInt8])] = [
            ("merchants.json", Array(Self.merchants.utf8)),
            ("key.pem", Array(try wallet.processing(Self.merchant, .ec).key.pem.utf8)),
            ("root.pem", Array(wallet.root.certificate.pem.utf8)),
            ("tickets.json", try JWKSet([JWK(keyID: "tickets", publicKey: ticketKey.publicKey)]).json()),
            ("sealing.json", try JWKSet([JWK(keyID: "sealing", publicKey: sealingKey.publicKey)]).json()),
        ]
        for (name, bytes) in files {
            try Data(bytes).write(to: folder.appending(path: name))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
        }
        let environment = [
            "KAFKA_BOOTSTRAP_SERVERS": bench.bootstrapServers,
            "KAFKA_NAMESPACE": "bench-\(UInt32.random(in: 0 ... .max)).", "KAFKA_PARTITIONS": "\(Self.partitions)",
            "MERCHANTS": path("merchants.json"), "TICKET_KEYS": path("tickets.json"),
            "SEALING_KEYS": path("sealing.json"), "CONTACT_KEYS": path("sealing.json"),
            "APPLE_ROOT": path("root.pem"), "LOG_LEVEL": "error", "LIMIT_TICKET": "0",
        ]
        try await Bench.run(bench.programs.appending(path: "order-ledger"), ["topics", "create"], environment)
        let port = try FreePorts.take(1)[0]
        let process = try bench.start(
            "token-ingest", ["serve", "--http-port", "\(port)", "--admin-port", "0"], environment)
        defer { process.stopBlocking() }
        let signer = TicketSigner(keyID: "tickets", key: ticketKey)
        let routes = registry[BenchPayment.merchant]?.ticketRoutes(in: .cny) ?? []
        let requests = try (0..<bench.amount(6_000)).map { _ in try Self.request(wallet, signer, routes) }
        try await HTTPLoad.untilAnswered(port)
        let warm = max(1, requests.count / 10)
        _ = await HTTPLoad.run(Int32(port), connections: Self.connections, Array(requests[..<warm]))
        let before = (own: ProcessTime.seconds(of: process.processID), kafka: bench.kafkaSeconds)
        guard
            let result = await HTTPLoad.run(Int32(port), connections: Self.connections, Array(requests[warm...])),
            result.load.refused == 0
        else { throw BenchError("token-ingest does not accept payments") }
        let count = Double(result.load.answers)
        let cost = (ProcessTime.seconds(of: process.processID) - before.own) / count * 1e3
        let kafka = (bench.kafkaSeconds - before.kafka) / count * 1e3
        let primitives = Double(yardstick_payment(500)) / 500 / 1e6
        guard primitives > 0 else { throw BenchError("the yardstick fails") }
        return [
            Row(
                name: "token-ingest, payments accepted", value: count / Double(result.load.nanoseconds) * 1e9,
                unit: "payments/s", yardstick: ("its primitives alone on one core", 1e3 / primitives),
                bound: .atLeast(2_000), aim: .atLeast(2_500), alarm: 0.15,
                remark: String(format: "%.2f ms of token-ingest and %.2f of Kafka a payment; ", cost, kafka)
                    + "\(bench.flush); \(ProcessTime.peakMemory(of: process.processID)) MiB of token-ingest")
        ]
    }

    private static func request(
        _ wallet: Wallet, _ signer: TicketSigner, _ routes: [TicketRoute]
    ) throws -> [UInt8] {
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        let order = OrderID(time: now, randomness: SecureRandom.bytes(10))
        let issued = Timestamp(seconds: now.seconds)
        let ticket = try signer.sign(
            OrderTicket(
                order: order, merchant: BenchPayment.merchant, revision: 1,
                amount: Money(minorUnits: 10_000, currency: .cny), networks: [.chinaUnionPay], routes: routes,
                linesDigest: Array(repeating: 0, count: 32), partitions: partitions, issuedAt: issued,
                expiresAt: issued + .seconds(600)))
        var mint = MintRequest(merchant: merchant, amount: 10_000)
        mint.content = .emv
        mint.applicationData = Array(order.description.utf8)
        let body = Array(#"{"token":"#.utf8) + (try wallet.mint(mint).json) + Array("}".utf8)
        let head = """
            POST /v1/payments HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(ticket)\r
            Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n
            """
        return Array(head.utf8) + body
    }

    private static let merchants = """
        {"merchants": [{"id": "\(BenchPayment.merchant)", "displayName": "Bench", "countryCode": "CN",
          "networks": ["chinaUnionPay"],
          "applePay": {"merchantIdentifier": "\(merchant)", "keys": [{"key": "key.pem"}]},
          "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "777290058110048",
            "currencies": ["CNY"], "paymentData": ["EMV"], "settings": {"signingKey": "k.pem", "signingCertificate": "c.pem"}}],
          "apiKeys": [{"id": "shop", "sha256": "\(String(repeating: "0", count: 64))"}]}]}
        """
}
