import Foundation
import KafkaBridge
import OrchardServiceKit
import SandboxBroker

/// The Kafka that the tests run against.
///
/// `KAFKA_BOOTSTRAP_SERVERS` names a real one, `ORCHARD_REAL_KAFKA=1` starts one, `ORCHARD_TEST_KAFKA` is an embedded
/// broker that `make test` started; without any of them the tests start an embedded broker of their own.
struct TestCluster: Sendable {
    static var shared: TestCluster { get async throws { try await starting.value } }
    private static let starting = Task { try await TestCluster() }

    let bootstrapServers: String
    let isReal: Bool
    private let broker: BrokerProcess?
    private var namespace = ""

    private init() async throws {
        let environment = ProcessInfo.processInfo.environment
        if let servers = environment["KAFKA_BOOTSTRAP_SERVERS"] {
            (bootstrapServers, isReal, broker) = (servers, true, nil)
        } else if RealKafka.isWanted {
            (bootstrapServers, isReal, broker) = (try await RealKafka.start().bootstrapServers, true, nil)
        } else if let servers = environment["ORCHARD_TEST_KAFKA"] {
            (bootstrapServers, isReal, broker) = (servers, false, nil)
        } else {
            let process = try BrokerProcess()
            (bootstrapServers, isReal, broker) = (process.bootstrapServers, false, process)
        }
    }

    /// A cluster of one test's own, to be maltreated.
    init(_ broker: BrokerProcess) {
        (bootstrapServers, isReal, self.broker) = (broker.bootstrapServers, false, broker)
    }

    init(real bootstrapServers: String) {
        (self.bootstrapServers, isReal, broker) = (bootstrapServers, true, nil)
    }

    var configuration: KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: bootstrapServers, clientID: "tests", namespace: namespace)
    }

    /// The same cluster for clients of a namespace.
    func within(namespace: String) -> TestCluster {
        var cluster = self
        cluster.namespace = namespace
        return cluster
    }

    /// A new topic with four partitions.
    func topic(_ purpose: String = "t") async throws -> String {
        let name = "test-\(purpose)-\(UInt64.random(in: 0...UInt64.max))"
        try await create(name)
        return name
    }

    /// Creates a topic with four partitions.
    func create(_ name: String) async throws {
        if isReal {
            let admin = try KafkaAdmin(configuration, logger: testLogger)
            _ = try await admin.createTopics([TopicSpecification(name: name, partitions: 4)])
        } else {
            // The mock cluster has no CreateTopics; it makes a topic when a producer asks for it.
            let producer = try KafkaProducer(configuration, logger: testLogger)
            _ = await producer.deliver([KafkaMessage(topic: name, partition: 1000, key: nil, value: [])])
        }
    }

    /// Clients that do not dawdle.
    var consumerOptions: KafkaConsumer.Options {
        var options = KafkaConsumer.Options()
        options.sessionTimeout = .seconds(30)
        options.fetchWait = .milliseconds(10)
        return options
    }

    /// For groups of several members: the mock cluster lets the others wait for nearly a session when one joins.
    var groupOptions: KafkaConsumer.Options {
        var options = consumerOptions
        options.sessionTimeout = .seconds(10)
        return options
    }

    func producer(_ change: (inout KafkaProducer.Options) -> Void = { _ in }) throws -> KafkaProducer {
        var options = KafkaProducer.Options()
        change(&options)
        return try KafkaProducer(configuration, options: options, logger: testLogger)
    }
}

/// `count` messages for one partition: keys `k0`…, values `v0`….
func messages(_ topic: String, _ partition: Int32, _ range: Range<Int>) -> [KafkaMessage] {
    range.map {
        KafkaMessage(topic: topic, partition: partition, key: Array("k\($0)".utf8), value: Array("v\($0)".utf8))
    }
}

/// Messages for partition 0.
func messages(_ topic: String, _ range: Range<Int>) -> [KafkaMessage] { messages(topic, 0, range) }
