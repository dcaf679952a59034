import Contracts
import KafkaBridge
import OrchardServiceKit

/// Reads a topic's dead letters, and the records that they are about.
public struct DeadLetterTopic: Sendable {
    private let topic: Topic
    private let admin: KafkaAdmin
    private let reader: KafkaReader

    /// - Parameter topic: the topic whose records became dead letters.
    public init(of topic: Topic, admin: KafkaAdmin, reader: KafkaReader) {
        self.topic = topic
        self.admin = admin
        self.reader = reader
    }

    /// For the cluster that a command line names.
    public init(of topic: Topic, _ kafka: KafkaConfiguration) throws(KafkaError) {
        let logger = Logger(label: "dlq", level: .warning)
        self.init(
            of: topic, admin: try KafkaAdmin(kafka, logger: logger), reader: try KafkaReader(kafka, logger: logger))
    }

    /// A dead letter, and when it was published.
    public struct Entry: Sendable {
        public let letter: DeadLetter
        public let time: Timestamp
    }

    /// Every dead letter that Kafka still has, by partition and offset; all of them when several are about one record.
    ///
    /// - Throws: `KafkaError`, `CancellationError`.
    public func entries() async throws -> [Entry] {
        let letters = topic.deadLetters.name
        var entries: [Entry] = []
        for partition in 0..<(try await admin.partitionCount(letters) ?? 0) {
            let place = TopicPartition(letters, partition)
            let ends = try await reader.watermarks(place)
            let collected = Collected()
            try await reader.read(place, from: ends.low, to: ends.high) { await collected.add($0) }
            entries += await collected.entries
        }
        return entries.sorted {
            ($0.letter.place.partition, $0.letter.offset) < ($1.letter.place.partition, $1.letter.offset)
        }
    }

    /// What became of a record that a letter is about.
    public enum Original: Sendable {
        case there(KafkaRecord)
        /// The topic does not hold the offset any more, or not yet; it holds these offsets.
        case gone(Watermarks)

        /// The state of the record, for operators.
        public var text: String {
            switch self {
            case .there: "is there"
            case .gone(let ends) where ends.low == ends.high: "left the topic: the partition is empty"
            case .gone(let ends): "left the topic: it holds offsets \(ends.low) to \(ends.high - 1)"
            }
        }
    }

    /// The record at a place of the topic.
    public func original(_ wanted: DeadLetterPlace) async throws -> Original {
        let (place, offset) = (TopicPartition(topic.name, wanted.partition), wanted.offset)
        let ends = try await reader.watermarks(place)
        guard ends.low <= offset, offset < ends.high else { return .gone(ends) }
        let collected = Collected()
        try await reader.read(place, from: offset, to: offset + 1) { await collected.add(records: $0) }
        guard let record = await collected.records.first(where: { $0.offset == offset }) else { return .gone(ends) }
        return .there(record)
    }

    private actor Collected {
        private(set) var entries: [Entry] = []
        private(set) var records: [KafkaRecord] = []
        private var names: Set<String> = []

        /// The relay may send a dead letter twice, with the same id.
        func add(_ records: [KafkaRecord]) {
            for record in records {
                guard let letter = DeadLetter(record),
                    names.insert(record.header("ce_id") ?? "\(record.offset)").inserted
                else { continue }
                entries.append(Entry(letter: letter, time: record.written))
            }
        }

        func add(records more: [KafkaRecord]) { records += more }
    }
}

/// A record's place as operators write it: `P3@41` is offset 41 of partition 3.
public struct DeadLetterPlace: Hashable, Sendable, CustomStringConvertible {
    public let partition: Int32
    public let offset: Int64

    public init(partition: Int32, offset: Int64) {
        self.partition = partition
        self.offset = offset
    }

    /// - Throws: `UsageError` that explains the form of a place.
    public init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("P"), let partition = Int32(parts[0].dropFirst()), partition >= 0,
            let offset = Int64(parts[1]), offset >= 0
        else { throw UsageError("a place is written like P3@41: partition 3, offset 41; \(text) is not a place") }
        self.init(partition: partition, offset: offset)
    }

    public var description: String { "P\(partition)@\(offset)" }
}
