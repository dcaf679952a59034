import COrchardLinux
import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJOSE
import OrchardJSON
import OrchardServiceKit
import SandboxBroker
import SandboxProcesses
import SandboxWallet
import TestSupport
import Testing

@testable import TokenIngest

@Suite("token-ingest serve, as a real process", .serialized, .timeLimit(.minutes(10)))
struct ServeTests {
    private static let topics = [Topic.charges, .attempts, .contacts].map { BrokerTopic(name: $0.name, partitions: 4) }

    private func withClient(_ body: (HTTPClient) async throws -> Void) async throws {
        let client = HTTPClient()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            try await body(client)
            group.cancelAll()
        }
    }

    private func get(_ client: HTTPClient, _ port: Int, _ path: String) async throws -> HTTPResponse {
        let outcome = await client.send(
            HTTPClientRequest(method: .get, url: "http://127.0.0.1:\(port)\(path)"))
        guard case .answered(let answer) = outcome else { throw Unanswered() }
        return answer.response
    }

    private func pay(_ client: HTTPClient, _ port: Int, _ token: [UInt8], _ ticket: String) async throws -> Answer {
        let outcome = await client.send(
            HTTPClientRequest(
                method: .post, url: "http://127.0.0.1:\(port)/v1/payments",
                fields: ["Content-Type": "application/json", "Authorization": "Bearer \(ticket)"],
                body: Array("{\"token\":".utf8) + token + Array("}".utf8)))
        guard case .answered(let answer) = outcome else { throw Unanswered() }
        return Answer(status: answer.response.status.code, text: answer.response.body)
    }

    private struct Unanswered: Error {}

    @Test("waits for brokers and reports it, accepts payments, answers unknown, finishes payments on SIGTERM")
    func lifetime() async throws {
        let shop = try Shop()
        let broker = try BrokerProcess(topics: Self.topics)
        broker.freeze()
        let ingest = try shop.ingest(brokers: broker.bootstrapServers)
        try await withClient { client in
            let (port, admin) = (try await ingest.port(of: "http"), try await ingest.port(of: "admin"))
            #expect(try await get(client, admin, "/healthz").status == .ok)
            let waiting = try await get(client, admin, "/readyz")
            #expect(waiting.status == .serviceUnavailable)
            #expect(String(decoding: waiting.body, as: UTF8.self).contains("NOT READY\ttopics"))

            broker.thaw()
            try await ingest.until { try await get(client, admin, "/readyz").status == .ok }
            #expect(try ingest.schedulingPolicies() == [SCHED_BATCH])

            let ticket = try shop.ticket(order: Shop.order(), partitions: 4)
            let token = try shop.mint(order: Shop.order())
            let taken = try await pay(client, port, token.json, ticket)
            #expect(taken.status == 202, "\(taken)")

            broker.freeze()
            #expect(try await pay(client, port, token.json, ticket).text == taken.text, "Kafka holds it already")
            let second = try shop.mint(order: Shop.order())
            let unknown = try await pay(client, port, second.json, ticket)
            #expect(unknown.status == 503, "\(unknown)")
            #expect(unknown["outcome"] == "unknown")
            broker.thaw()
            var again = try await pay(client, port, second.json, ticket)
            try await ingest.until {
                if again.status != 202 { again = try await pay(client, port, second.json, ticket) }
                return again.status == 202
            }
            #expect(again["paymentId"] == unknown["paymentId"])

            let metrics = String(decoding: try await get(client, admin, "/metrics").body, as: UTF8.self)
            #expect(metrics.contains("token_ingest_payments_total{outcome=\"accepted\"} 2"))

            ingest.signal(SIGTERM)
            #expect(try await ingest.status() == 0)
            for secret in token.secrets + [ticket] { #expect(!ingest.log.contains(secret)) }
        }
        let command = try await published(broker, order: Shop.order())
        #expect(command.order == Shop.order())
    }

    /// The last command on the order's partition, as the gateway will read it.
    private func published(_ broker: BrokerProcess, order: OrderID) async throws -> ChargeRequested {
        let reader = try KafkaReader(
            KafkaConfiguration(bootstrapServers: broker.bootstrapServers, clientID: "test"),
            logger: Logger(label: "test"))
        let partition = Partitioner.partition(of: order, among: 4)
        let record = try await reader.lastRecord(of: TopicPartition(Topic.charges.name, partition))
        return try ChargeRequested(parsing: try #require(record).value)
    }

    @Test("reports everything that is wrong with its configuration, and exits with 2")
    func configuration() async throws {
        let shop = try Shop()
        let ingest = try shop.ingest(brokers: "127.0.0.1:1", ["MERCHANTS": "/nowhere", "LOG_LEVEL": "loud"])
        #expect(try await ingest.status() == 2)
        #expect(ingest.log.contains("2 problems in the configuration"))
    }

    @Test(
        "refuses the private half of a key set, which is another service's",
        arguments: ["TICKET_KEYS", "SEALING_KEYS", "CONTACT_KEYS"])
    func privateKeys(_ setting: String) async throws {
        let shop = try Shop()
        let file = shop.folder.appending(path: "private.json")
        let key = JWK(keyID: "k", privateKey: try P256PrivateKey.generate())
        try KeyFile(file.path).create(JWKSet([key]).json(), readers: .owner)
        let ingest = try shop.ingest(brokers: "127.0.0.1:1", [setting: file.path])
        #expect(try await ingest.status() == 2)
        #expect(ingest.log.contains("holds private keys"), "\(ingest.log)")
    }

    @Test("reports in log, metrics and /readyz that no ticket verifies when the signing key is not in its set")
    func foreignTickets() async throws {
        let shop = try Shop()
        let broker = try BrokerProcess(topics: Self.topics)
        let ingest = try shop.ingest(brokers: broker.bootstrapServers)
        let (port, admin) = (try await ingest.port(of: "http"), try await ingest.port(of: "admin"))
        let foreign = try Shop().ticket(order: Shop.order(), keyID: "another")
        let token = try shop.mint(order: Shop.order())
        try await withClient { client in
            for _ in 1...20 { #expect(try await pay(client, port, token.json, foreign).status == 401) }
            let readiness = String(decoding: try await get(client, admin, "/readyz").body, as: UTF8.self)
            #expect(readiness.contains("ready\tanswers\tWARNING: the last 20 answers of POST /v1/payments were 401"))
            #expect(readiness.contains("not in the ticket key set"))
            try await ingest.until { ingest.log.contains("the last 20 answers of POST /v1/payments") }
        }
    }

    @Test("refuses to start with a merchant's key of another merchant")
    func wrongKeys() async throws {
        let shop = try Shop()
        let text = String(decoding: try Shop.read(shop.folder.appending(path: "merchants.json")), as: UTF8.self)
        try Shop.write(
            Array(text.replacing("tea/processing-EC_v1-1.key", with: "silk/processing-EC_v1-1.key").utf8),
            to: shop.folder.appending(path: "merchants.json"))
        let ingest = try shop.ingest(brokers: "127.0.0.1:1")
        #expect(try await ingest.status() == 2)
        #expect(ingest.log.contains("applePay.keys[0]"))
    }

    @Test("leaves no core and has no crash handler that could print its memory")
    func secured() async throws {
        let shop = try Shop()
        let ingest = try shop.ingest(brokers: "127.0.0.1:1")
        _ = try await ingest.port(of: "http")
        let cores = try ingest.kernelFile("limits").split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(cores?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
        let caught = try #require(
            try ingest.kernelFile("status").firstMatch(of: #/SigCgt:\s+([0-9a-f]+)/#).flatMap {
                UInt64($0.output.1, radix: 16)
            })
        for number in [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGQUIT] {
            #expect(caught & (1 << UInt64(number - 1)) == 0, "signal \(number) has a handler")
        }
        #expect(caught & (1 << UInt64(SIGTERM - 1)) != 0)
        withExtendedLifetime(shop) {}
    }

    @Test(
        "passes every MUST of the external HTTP probe, and ends slow clients while others are served",
        .enabled(if: Oracles.has("http_probe.py"), "\(Oracles.absence)"))
    func httpProbe() async throws {
        let shop = try Shop()
        let broker = try BrokerProcess(topics: Self.topics)
        let ingest = try shop.ingest(brokers: broker.bootstrapServers)
        let port = try await ingest.port(of: "http")
        let report = try await Oracles.run([
            Oracles.path("http_probe.py"), "\(port)", "--path", "/healthz", "--post-path", "/v1/payments", "--wait",
            "10", "--slow", "20", "--slow-count", "20",
        ])
        #expect(report.status == 0, "\(report.output)")
        #expect(report.output.contains(" must"))
        #expect(report.output.matches(of: #/ok +should +slow \w+: ended within 20 s/#).count == 3, "\(report.output)")
    }
}
