import Contracts
import Foundation
import KafkaBridge
import OrchardCrypto
import OrchardServiceKit
import SandboxBroker
import SandboxProcesses

/// The Kafka of a run: its own embedded broker, or a namespace in a real one that others may use too.
struct DemoKafka: Sendable {
    let configuration: KafkaConfiguration
    /// The number of partitions of each topic.
    let partitions: Int32
    private let broker: BrokerProcess?
    private let certificates: URL?

    /// - Parameters:
    ///   - options: contain the address of a real Kafka; without it an embedded broker is started, with its topics.
    ///   - run: when the run began; a random part separates two runs of the same second.
    init(_ options: DemoOptions, run: Int64, partitions: Int32) throws {
        self.partitions = partitions
        certificates = options.kafkaCertificates
        if let bootstrapServers = options.bootstrapServers {
            broker = nil
            configuration = KafkaConfiguration(
                bootstrapServers: bootstrapServers, clientID: "demo",
                extra: certificates.map { Self.properties($0, user: Self.administrator) } ?? [:],
                namespace: options.kafkaNamespace ?? "demo-\(run)-\(Hex.encode(SecureRandom.bytes(3))).")
        } else {
            let broker = try BrokerProcess(
                topics: Topic.all.map { BrokerTopic(name: $0.name, partitions: Int(partitions)) })
            self.broker = broker
            configuration = KafkaConfiguration(bootstrapServers: broker.bootstrapServers, clientID: "demo")
        }
    }

    /// Its address, for the operator.
    var place: String {
        configuration.bootstrapServers
            + (broker == nil ? ", topics \(configuration.namespace)*" : ", embedded")
    }

    /// The user that creates topics and reads them all.
    private static let administrator = "admin"

    /// The Kafka settings of a service. Always complete, whatever settings the demo itself was started with.
    ///
    /// - Parameter user: the owner of the client certificate.
    func settings(for user: String) -> [String: String] {
        var settings = [
            "KAFKA_BOOTSTRAP_SERVERS": configuration.bootstrapServers, "KAFKA_NAMESPACE": configuration.namespace,
            "KAFKA_PARTITIONS": "\(partitions)",
        ]
        let properties = certificates.map { Self.properties($0, user: user) } ?? [:]
        for (name, value) in properties {
            settings["KAFKA_PROPERTIES_" + name.uppercased().replacing(".", with: "_")] = value
        }
        return settings
    }

    /// librdkafka's settings for TLS with a client certificate.
    private static func properties(_ folder: URL, user: String) -> [String: String] {
        [
            "security.protocol": "ssl", "ssl.ca.location": folder.appending(path: "ca.crt").path,
            "ssl.certificate.location": folder.appending(path: "\(user).crt").path,
            "ssl.key.location": folder.appending(path: "\(user).key").path,
        ]
    }

    /// Creates the topics as an operator does; an embedded broker has them from its start.
    func createTopics(_ orderLedger: URL) async throws {
        guard broker == nil else { return }
        let topics = try await ProgramRun.demo(
            orderLedger, ["topics", "create"], environment: settings(for: Self.administrator))
        guard topics.status == 0 else { throw DemoError("order-ledger topics create failed:\n\(topics.output)") }
    }

    /// Freezes the embedded broker, until ``thaw()``.
    func freeze() { broker?.freeze() }
    func thaw() { broker?.thaw() }

    /// Leaves nothing behind: stops the broker, or deletes the run's topics. A failure is only shown.
    func end(_ screen: Screen) async {
        if let broker { return broker.stop() }
        do {
            let admin = try KafkaAdmin(configuration, logger: Logger(label: "demo.kafka", level: .error))
            let topics = try await admin.partitionCounts().keys.sorted()
            try await admin.deleteTopics(topics)
            screen.say("Kafka: deleted the run's \(topics.count) topics")
        } catch {
            screen.say("Kafka: topics \(configuration.namespace)* may be left behind: \(error)")
        }
    }
}
