import CRDKafka
import OrchardServiceKit

/// An event taken from a queue, freed at the end of its scope. Not copyable, so that a record costs no reference count.
struct KafkaEvent: ~Copyable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { rd_kafka_event_destroy(pointer) }

    var type: Int32 { rd_kafka_event_type(pointer) }
    var error: rd_kafka_resp_err_t { rd_kafka_event_error(pointer) }
    var errorText: String { rd_kafka_event_error_string(pointer).map { String(cString: $0) } ?? "" }

    /// The partitions of a rebalance or of a commit's result.
    func partitions(_ names: Namespace) -> [TopicPartition] {
        rd_kafka_event_topic_partition_list(pointer).map { PartitionList(names: names).partitions(of: $0) } ?? []
    }

    /// The offsets of a commit's result.
    func offsets(_ names: Namespace) -> [TopicPartition: Int64] {
        rd_kafka_event_topic_partition_list(pointer).map { PartitionList(names: names).offsets(of: $0) } ?? [:]
    }

    /// The partition that an error is about.
    func partition(_ names: Namespace) -> TopicPartition? {
        guard let found = rd_kafka_event_topic_partition(pointer) else { return nil }
        defer { rd_kafka_topic_partition_destroy(found) }
        return names.partition(found.pointee.topic, found.pointee.partition)
    }

    /// The next message of a fetch or of a delivery report; valid as long as the event.
    func nextMessage() -> UnsafePointer<rd_kafka_message_t>? {
        rd_kafka_event_message_next(pointer)
    }

    /// Writes a log event of librdkafka to `logger`.
    func log(to logger: Logger, atMost highest: LogLevel = .critical) {
        var facility: UnsafePointer<CChar>?
        var text: UnsafePointer<CChar>?
        var level: Int32 = 6
        guard rd_kafka_event_log(pointer, &facility, &text, &level) == 0, let text else { return }
        // syslog's levels. Below a lost connection librdkafka goes on by itself, so nothing of it is an error of ours.
        let severity: LogLevel = level <= 2 ? .error : level <= 4 ? .warning : level <= 5 ? .info : .debug
        logger.log(
            min(severity, highest), String(cString: text),
            metadata: ["facility": facility.map { String(cString: $0) } ?? ""])
    }
}
