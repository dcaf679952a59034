import KafkaBridge
import Ledger

extension JournalRecord {
    /// A record of the journal topic, from a Kafka record.
    init(_ record: KafkaRecord) {
        self.init(
            position: JournalPosition(partition: record.topicPartition.partition, offset: record.offset),
            key: record.key, headers: record.headers.map { Header(name: $0.name, value: $0.value) },
            value: record.value)
    }
}
