import Contracts
import KafkaBridge
import OrchardCrypto
import OrchardJSON

/// A report of a record that cannot be processed: why, and where it came from. It has the same form in every service.
///
/// It never holds the record's content, which may hold card data. The record is found by its offset while its topic
/// keeps it.
public struct DeadLetter: Hashable, Sendable {
    public static let type = "orchard.deadLetter.v1"

    /// A code for programs.
    public let code: String
    /// For operators: what is wrong and what to do; one line of ASCII.
    public let reason: String
    /// Where the record is.
    public let place: TopicPartition
    public let offset: Int64

    /// Where the record is in its topic.
    public var at: DeadLetterPlace { DeadLetterPlace(partition: place.partition, offset: offset) }
    /// The offset at which the fault was found, when that is another record's offset.
    public let foundAt: Int64?
    /// Size and SHA-256 of the record's value, when the value was available.
    public let content: Content?

    /// What it holds.
    public struct Content: Hashable, Sendable {
        public let bytes: Int64
        public let sha256: String
    }

    /// A dead letter for a record that cannot be processed.
    public init(_ record: KafkaRecord, code: String, reason: String) {
        self.init(
            code: code, reason: reason, place: record.topicPartition, offset: record.offset,
            content: Content(bytes: Int64(record.value.count), sha256: Hex.encode(SHA256.hash(record.value))))
    }

    public init(
        code: String, reason: String, place: TopicPartition, offset: Int64, foundAt: Int64? = nil,
        content: Content? = nil
    ) {
        self.code = code
        // A header is one line. The reason may quote a member's name from the record.
        self.reason = String(
            decoding: reason.utf8.prefix(300).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
        self.place = place
        self.offset = offset
        self.foundAt = foundAt
        self.content = content
    }

    /// The outbox row that publishes the dead letter.
    ///
    /// - Parameters:
    ///   - source: the service's `ce_source`.
    ///   - key: the record's key.
    ///   - time: when the fault was found; nil where no clock may be read.
    ///   - index: its number among the faults found at one record. Place and number identify the dead letter, so that
    ///     it is published once.
    public func row(source: String, key: [UInt8]?, at time: Timestamp? = nil, index: Int = 0) -> OutboxRow {
        let name = "dead letter \(place.topic)/\(place.partition)/\(offset)/\(foundAt ?? offset)/\(index)"
        let id = EventID(hash: SHA256.hash(name)).description
        return OutboxRow(
            partition: place.partition, topic: place.topic + Topic.deadLetterSuffix, eventID: id, key: Self.key(key),
            headers: [
                ("ce_specversion", "1.0"), ("ce_id", id), ("ce_type", Self.type), ("ce_source", source),
            ] + (time.map { [("ce_time", $0.description)] } ?? []) + [
                ("content-type", "application/json"), ("deadletter_code", code), ("deadletter_reason", reason),
                ("deadletter_topic", place.topic), ("deadletter_partition", "\(place.partition)"),
                ("deadletter_offset", "\(offset)"),
            ],
            value: JSONWriter.object { object in write(to: &object) })
    }

    /// The record's key, by which a reader finds the order. A key longer than an order's key is replaced by its hash:
    /// the dead letter must be smaller than the record, or no broker accepts it.
    private static func key(_ key: [UInt8]?) -> [UInt8] {
        guard let key, key.count > 32 else { return key ?? [] }
        return Array(Hex.encode(SHA256.hash(key)).utf8)
    }

    private func write(to object: inout JSONObjectWriter) {
        object.member("bytes", content?.bytes)
        object.member("code", code)
        object.member("foundAt", foundAt)
        object.member("offset", offset)
        object.member("partition", Int64(place.partition))
        object.member("reason", reason)
        object.member("sha256", content?.sha256)
        object.member("topic", place.topic)
    }

    /// Reads a record of a dead letter topic; nil when it is not a dead letter.
    public init?(_ record: KafkaRecord) {
        guard let value = try? JSONValue(parsing: record.value), let code = value["code"]?.string,
            let reason = value["reason"]?.string, let topic = value["topic"]?.string,
            let partition = value["partition"]?.integer.flatMap({ Int32(exactly: $0) }),
            let offset = value["offset"]?.integer, partition >= 0, offset >= 0
        else { return nil }
        var content: Content?
        if let bytes = value["bytes"]?.integer, let sha256 = value["sha256"]?.string {
            content = Content(bytes: bytes, sha256: sha256)
        }
        self.init(
            code: code, reason: reason, place: TopicPartition(topic, partition), offset: offset,
            foundAt: value["foundAt"]?.integer, content: content)
    }
}

extension KafkaRecord {
    /// The time at which the record was written, according to its writer: it can be any number.
    var written: Timestamp {
        let (microseconds, isTooLarge) = timestamp.multipliedReportingOverflow(by: 1_000)
        return Timestamp(microseconds: isTooLarge ? 0 : microseconds)
    }
}
