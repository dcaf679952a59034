import Testing

@testable import KafkaBridge

@Suite("The headers of a record")
struct KafkaHeadersTests {
    private static let headers = KafkaHeaders([
        KafkaHeader("ce_id", "1"), KafkaHeader("ce_type", "order.opened"), KafkaHeader("ce_id", "2"),
        KafkaHeader("empty", ""),
    ])

    @Test(
        "are found by their whole names, the first of a name",
        arguments: [
            ("ce_id", "1"), ("ce_type", "order.opened"), ("empty", ""), ("ce_i", nil), ("ce_idx", nil), ("CE_ID", nil),
            ("", nil),
        ] as [(String, String?)])
    func found(name: String, value: String?) {
        #expect(Self.headers[name] == value.map { Array($0.utf8) })
        let record = KafkaRecord(
            topicPartition: TopicPartition("facts", 0), offset: 0, timestamp: 0, key: nil, value: [],
            packedHeaders: Self.headers)
        #expect(record.header(name) == value)
    }

    @Test("have the order and the bytes that they were given")
    func list() {
        #expect(Self.headers.list.map(\.name) == ["ce_id", "ce_type", "ce_id", "empty"])
        #expect(KafkaHeaders(Self.headers.list) == Self.headers)
    }
}
