import KafkaBridge
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite struct TopicConfigurationTests {
    private func configuration(_ environment: [String: String]) throws -> TopicConfiguration {
        try ConfigReader.read(ConfigSources(environment: environment)) { TopicConfiguration(reader: $0) }.0
    }

    /// Charges and contacts: 7 days in segments of an hour. The journal and erasures: for ever. Dead letters and attempts: 30 days.
    @Test(arguments: [
        ("orchard.charges.v1", "604800000", "3600000"),
        ("orchard.charges.v1.dlq", "2592000000", nil),
        ("orchard.journal.v1", "-1", nil),
        ("orchard.journal.v1.dlq", "2592000000", nil),
        ("orchard.attempts.v1", "2592000000", nil),
        ("orchard.contacts.v1", "604800000", "3600000"),
        ("orchard.erasures.v1", "-1", nil),
    ])
    func `each topic has its lifetime`(_ name: String, _ retention: String, _ segment: String?) throws {
        let topics = try configuration(["KAFKA_BOOTSTRAP_SERVERS": "k:1", "KAFKA_PARTITIONS": "6"]).check.topics
        #expect(topics.count == 7)
        let topic = try #require(topics.first { $0.name == name })
        #expect(topic.partitions == 6)
        #expect(topic.replicationFactor == -1)
        #expect(topic.settings["retention.ms"] == retention)
        #expect(topic.settings["retention.bytes"] == "-1")
        #expect(topic.settings["segment.ms"] == segment)
        #expect(topic.settings["cleanup.policy"] == "delete")
    }

    @Test func `settings of the cluster are passed on`() throws {
        let configuration = try configuration([
            "KAFKA_BOOTSTRAP_SERVERS": "k:1", "KAFKA_REPLICATION_FACTOR": "3",
            "KAFKA_PROPERTIES_SECURITY_PROTOCOL": "ssl",
        ])
        #expect(configuration.check.topics.allSatisfy { $0.replicationFactor == 3 && $0.partitions == 12 })
        #expect(configuration.kafka.extra == ["security.protocol": "ssl"])
        #expect(configuration.kafka.clientID == "order-ledger")
    }

    @Test func `every problem is published at once`() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try configuration([
                "KAFKA_PARTITIONS": "0", "KAFKA_PROPERTIES_ACKS": "1", "KAFKA_REPLICATION_FACTOR": "x",
            ])
        }
        let keys = try #require(error).problems.map(\.key)
        #expect(
            Set(keys) == [
                "kafka.bootstrap.servers", "kafka.partitions", "kafka.properties.acks", "kafka.replication.factor",
            ])
    }
}
