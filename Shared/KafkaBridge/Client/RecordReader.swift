import CRDKafka
import Glibc

/// Copies librdkafka's messages into records; keeps the last topic's name, so that a record allocates none.
struct RecordReader {
    private let names: Namespace
    /// The topic of the message before: the next one is usually of the same.
    private var last: (topic: OpaquePointer, name: String)?

    init(_ names: Namespace) { self.names = names }

    /// - Parameter partition: what ``partition(_:)`` returned for the message.
    func record(_ message: UnsafePointer<rd_kafka_message_t>, of partition: TopicPartition) -> KafkaRecord {
        let raw = message.pointee
        var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = rd_kafka_message_timestamp(message, &kind)
        return KafkaRecord(
            topicPartition: partition, offset: raw.offset, timestamp: timestamp,
            key: raw.key.map { Self.bytes($0, raw.key_len) },
            value: raw.payload.map { Self.bytes($0, raw.len) } ?? [],
            packedHeaders: Self.headers(message))
    }

    mutating func partition(_ message: rd_kafka_message_t) -> TopicPartition {
        guard let topic = message.rkt else { return TopicPartition("", message.partition) }
        if let last, last.topic == topic { return TopicPartition(last.name, message.partition) }
        let outer = String(cString: rd_kafka_topic_name(topic))
        let name = names.inner(outer) ?? outer
        last = (topic, name)
        return TopicPartition(name, message.partition)
    }

    private static func headers(_ message: UnsafePointer<rd_kafka_message_t>) -> KafkaHeaders {
        var list: OpaquePointer?
        guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else {
            return KafkaHeaders()
        }
        var headers = KafkaHeaders(capacity: 512)
        for index in 0..<rd_kafka_header_cnt(list) {
            var name: UnsafePointer<CChar>?
            var value: UnsafeRawPointer?
            var length = 0
            guard rd_kafka_header_get_all(list, index, &name, &value, &length) == RD_KAFKA_RESP_ERR_NO_ERROR,
                let name
            else { break }
            let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
            let field = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : length)
            if bytes.allSatisfy(isPlain) {
                headers.append(bytes, field)
            } else {
                Array(escaped(bytes).utf8).withUnsafeBytes { headers.append($0, field) }
            }
        }
        return headers
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\\") }

    /// A name with the bytes that are not printable ASCII as `\\xNN`, so that different names stay different.
    private static func escaped(_ name: UnsafeRawBufferPointer) -> String {
        name.map { byte in
            isPlain(byte)
                ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    private static func bytes(_ start: UnsafeRawPointer, _ count: Int) -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
