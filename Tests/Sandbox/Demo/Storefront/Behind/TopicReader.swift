import Contracts
import KafkaBridge
import OrchardJSON
import OrchardServiceKit

/// Reads what was written to the topics since the last look. It belongs to no group and commits nothing, so the
/// services do not notice it.
struct TopicReader {
    private let reader: KafkaReader
    private let partitions: Int32
    private var next: [TopicPartition: Int64] = [:]

    /// Facts, commands, rejected attempts, and that a contact came; not what is sealed in them.
    private static let topics = [Topic.journal, .charges, .attempts, .contacts]
    /// The most records of a partition in one look.
    private static let batch: Int64 = 1_000

    /// - Parameter partitions: of each topic.
    init(_ kafka: KafkaConfiguration, partitions: Int32) throws {
        reader = try KafkaReader(kafka, logger: Logger(label: "shop.kafka", level: .critical))
        self.partitions = partitions
    }

    /// The events of new records, in no certain order. What could not be read to its end is read again.
    mutating func look() async throws -> [BehindEvent] {
        var next = next
        let found = Locked<[BehindEvent]>([])
        for topic in Self.topics {
            for number in 0..<partitions {
                let partition = TopicPartition(topic.name, number)
                let ends = try await reader.watermarks(partition)
                let start = max(next[partition] ?? 0, ends.low)
                guard start < ends.high else { continue }
                let end = min(ends.high, start + Self.batch)
                try await reader.read(partition, from: start, to: end) { records in
                    let events = records.compactMap(Self.event)
                    found.withLock { $0 += events }
                }
                next[partition] = end
            }
        }
        self.next = next
        return found.withLock { $0 }
    }

    /// The event of a record; nil for one that no program of ours wrote.
    static func event(_ record: KafkaRecord) -> BehindEvent? {
        guard
            let event = try? CloudEvent(
                headers: record.headers.map { (name: $0.name, value: $0.value) }, value: record.value),
            let program = BehindEvent.Program(rawValue: String(event.source.dropFirst())),
            let data = try? JSONValue(parsing: event.data)
        else { return nil }
        let kind = event.type.split(separator: ".").dropFirst().dropLast().joined(separator: ".")
        return BehindEvent(
            program: program, kind: kind, source: record.topicPartition.topic, order: event.subject,
            payment: data["paymentId"]?.string.flatMap { PaymentID($0) }, time: event.time,
            text: BehindTexts.text(kind, data), data: BehindTexts.data(data))
    }
}
