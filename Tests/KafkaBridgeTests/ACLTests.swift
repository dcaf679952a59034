import Foundation
import KafkaBridge
import OrchardServiceKit
import SandboxProcesses
import TestSupport
import Testing

/// What `deploy/kafka/acls` lets each service do, at a real Kafka that allows nothing else. Runs with
/// `ORCHARD_REAL_KAFKA=1`.
@Suite(.enabled(if: RealKafka.isWanted), .timeLimit(.minutes(10)))
struct ACLTests {
    /// What a service may do, a word for each right: `topic w` to write, `topic r` to read, `topic c` to see settings,
    /// `group` to be a member.
    private static let rights: [String: Set<String>] = [
        "token-ingest": [
            "orchard.charges.v1 w", "orchard.charges.v1 c", "orchard.attempts.v1 w", "orchard.attempts.v1 c",
            "orchard.contacts.v1 w", "orchard.contacts.v1 c",
        ],
        "charge-gateway": [
            "orchard.charges.v1 r", "orchard.charges.v1 c", "orchard.charges.v1.dlq r", "orchard.charges.v1.dlq w",
            "orchard.charges.v1.dlq c", "orchard.journal.v1 r", "orchard.journal.v1 w", "orchard.journal.v1 c",
            "charge-gateway",
        ],
        "order-ledger": [
            "orchard.charges.v1 r", "orchard.charges.v1 w", "orchard.charges.v1 c", "orchard.journal.v1 r",
            "orchard.journal.v1 w", "orchard.journal.v1 c", "orchard.journal.v1.dlq r", "orchard.journal.v1.dlq w",
            "orchard.journal.v1.dlq c", "orchard.attempts.v1 r", "orchard.attempts.v1 c", "order-ledger",
            "order-ledger-attempts", "orchard.contacts.v1 r", "orchard.contacts.v1 c", "orchard.erasures.v1 r",
            "orchard.erasures.v1 w", "orchard.erasures.v1 c", "order-ledger-contacts",
        ],
        "stranger": [],
    ]
    private static let topics = [
        "orchard.charges.v1", "orchard.charges.v1.dlq", "orchard.journal.v1", "orchard.journal.v1.dlq",
        "orchard.attempts.v1", "orchard.contacts.v1", "orchard.erasures.v1",
    ]
    private static let groups = ["charge-gateway", "order-ledger", "order-ledger-attempts", "order-ledger-contacts"]
    private static let namespace = "shop."

    @Test func `each service may do what it must, and no more; without the ACLs nothing`() async throws {
        let kafka = try await RealKafka.start(["--security", "tls", "--acl"])
        let admin = try KafkaAdmin(configuration(kafka, "admin"), logger: Logger(label: "admin"))
        _ = try await admin.createTopics(Self.topics.map { TopicSpecification(name: $0, partitions: 1) })
        let producer = try KafkaProducer(configuration(kafka, "admin"), logger: Logger(label: "admin"))
        for topic in Self.topics {
            _ = try await producer.send(KafkaMessage(topic: topic, partition: 0, key: nil, value: [1]))
        }
        #expect(try await found(kafka) == Self.rights.mapValues { _ in [] })
        try await apply([], kafka)
        var found = try await found(kafka)
        // A refusal looks like a time limit that passed, and so does a coordinator that has only just been asked for.
        for _ in 0..<3 where Self.rights.contains(where: { !$1.isSubset(of: found[$0] ?? []) }) {
            found.merge(try await self.found(kafka)) { $0.union($1) }
        }
        for (user, rights) in Self.rights {
            #expect(found[user] == rights, "\(user)")
        }
        try await apply(["--remove"], kafka)
        #expect(try await self.found(kafka) == Self.rights.mapValues { _ in [] })
        try await kafka.kill()
    }

    /// Runs the script as an operator does.
    private func apply(_ options: [String], _ kafka: RealKafka) async throws {
        let script = Checkout.root.appending(path: "deploy/kafka/acls").path
        let tool = Checkout.root.appending(path: "../shared/kafka/kafka").standardizedFileURL.path
        let run = try await ProgramRun.outside(
            script,
            ["--namespace", Self.namespace] + options + [
                "--", tool, "tool", "--dir", kafka.directory, "kafka-acls",
            ])
        #expect(run.status == 0, "\(run.output)")
    }

    /// What each user can do.
    private func found(_ kafka: RealKafka) async throws -> [String: Set<String>] {
        try await withThrowingTaskGroup(of: (String, Set<String>).self) { group in
            for user in Self.rights.keys {
                group.addTask { (user, try await rights(of: user, kafka)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func rights(of user: String, _ kafka: RealKafka) async throws -> Set<String> {
        let configuration = configuration(kafka, user)
        let logger = Logger(label: user)
        let producer = try KafkaProducer(configuration, logger: logger)
        let admin = try KafkaAdmin(configuration, logger: logger)
        // What is not allowed is tried until a time limit: all at once.
        return try await withThrowingTaskGroup(of: String?.self) { group in
            for topic in Self.topics {
                let reader = try KafkaReader(configuration, timeout: .seconds(5), logger: logger)
                group.addTask { await allowed("\(topic) c") { _ = try await admin.describeConfig(topic) } }
                group.addTask {
                    await allowed("\(topic) r") { _ = try await reader.lastRecord(of: TopicPartition(topic, 0)) }
                }
                group.addTask {
                    await allowed("\(topic) w") {
                        _ = try await producer.send(KafkaMessage(topic: topic, partition: 0, key: nil, value: [2]))
                    }
                }
            }
            for name in Self.groups {
                group.addTask {
                    await allowed(name) {
                        _ = try await admin.committedOffsets(group: name, of: [TopicPartition(Self.topics[0], 0)])
                    }
                }
            }
            return try await group.reduce(into: []) { if let right = $1 { $0.insert(right) } }
        }
    }

    /// The right, when what needs it succeeds.
    private func allowed(_ right: String, _ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return right
        } catch {
            return nil
        }
    }

    private func configuration(_ kafka: RealKafka, _ user: String) -> KafkaConfiguration {
        let folder = kafka.directory + "/ca/"
        return KafkaConfiguration(
            bootstrapServers: kafka.bootstrapServers, clientID: user,
            extra: [
                "security.protocol": "ssl", "ssl.ca.location": folder + "ca.crt",
                "ssl.certificate.location": folder + user + ".crt", "ssl.key.location": folder + user + ".key",
            ], namespace: Self.namespace)
    }
}
