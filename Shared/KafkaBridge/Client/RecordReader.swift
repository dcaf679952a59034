import CRDKafka
import Glibc

/// Copies librdkafka's messages into records; keeps the topics' names, so that a record allocates none.
struct RecordReader {
    private let names: Namespace
    private var topics: [OpaquePointer: String] = [:]

    init(_ names: Namespace) { self.names = names }

    mutating func record(_ message: UnsafePointer<rd_kafka_message_t>) -> KafkaRecord {
        let raw = message.pointee
        var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = rd_kafka_message_timestamp(message, &kind)
        return KafkaRecord(
            topicPartition: partition(raw), offset: raw.offset, timestamp: timestamp,
            key: raw.key.map { Self.bytes($0, raw.key_len) },
            value: raw.payload.map { Self.bytes($0, raw.len) } ?? [],
            headers: Self.headers(message))
    }

    mutating func partition(_ message: rd_kafka_message_t) -> TopicPartition {
        guard let topic = message.rkt else { return TopicPartition("", message.partition) }
        if let known = topics[topic] { return TopicPartition(known, message.partition) }
        let outer = String(cString: rd_kafka_topic_name(topic))
        let name = names.inner(outer) ?? outer
        topics[topic] = name
        return TopicPartition(name, message.partition)
    }

    private static func headers(_ message: UnsafePointer<rd_kafka_message_t>) -> [KafkaHeader] {
        var list: OpaquePointer?
        guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return [] }
        let count = rd_kafka_header_cnt(list)
        var headers: [KafkaHeader] = []
        headers.reserveCapacity(count)
        for index in 0..<count {
            var name: UnsafePointer<CChar>?
            var value: UnsafeRawPointer?
            var length = 0
            guard rd_kafka_header_get_all(list, index, &name, &value, &length) == RD_KAFKA_RESP_ERR_NO_ERROR,
                let name
            else { break }
            headers.append(KafkaHeader(text(name), value.map { bytes($0, length) } ?? []))
        }
        return headers
    }

    /// A header's name; bytes that are not printable ASCII are shown as `\\xNN`, so that different names stay different.
    private static func text(_ name: UnsafePointer<CChar>) -> String {
        let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
        let isPlain = { (byte: UInt8) in (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\\") }
        if bytes.allSatisfy(isPlain) { return String(decoding: bytes, as: UTF8.self) }
        return bytes.map { byte in
            isPlain(byte)
                ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    private static func bytes(_ start: UnsafeRawPointer, _ count: Int) -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
