import Contracts
import KafkaBridge
import OrchardServiceKit

/// The configuration of `order-ledger topics`: the address of Kafka, and the number of partitions of each topic.
struct TopicConfiguration {
    let kafka: KafkaConfiguration
    let partitions: Int32
    let replicationFactor: Int32

    /// - `kafka.*`: see `KafkaConfiguration`
    /// - `kafka.partitions` (whole number, default 12): partitions of each topic, the same for all services
    /// - `kafka.replication.factor` (whole number, default 0: the broker's own default)
    init(reader: ConfigReader) {
        kafka = KafkaConfiguration(reader: reader, clientID: "order-ledger")
        partitions = KafkaConfiguration.partitions(reader: reader)
        let factor = reader.int(
            "kafka.replication.factor", doc: "Copies of each partition of a new topic; 0 is the broker's default.",
            default: 0, in: 0...32)
        replicationFactor = factor == 0 ? -1 : Int32(factor)
    }

    /// The check that every topic of Orchard is as it must be.
    var check: TopicCheck { check(Topic.all) }

    /// The check that some topics are as they must be.
    func check(_ topics: [Topic]) -> TopicCheck {
        TopicCheck(
            topics.map {
                TopicSpecification(
                    name: $0.name, partitions: partitions, replicationFactor: replicationFactor, settings: $0.settings)
            })
    }
}
