import Testing

@testable import KafkaBridge

@Suite struct RecordBufferTests {
    private func record(_ offset: Int64, bytes: Int = 0) -> KafkaRecord {
        KafkaRecord(
            topicPartition: TopicPartition("t", 0), offset: offset, timestamp: 0, key: nil,
            value: [UInt8](repeating: 0, count: bytes), headers: [])
    }

    private func buffer(_ range: Range<Int64>, batchLimit: Int = 10) -> RecordBuffer {
        var buffer = RecordBuffer(batchLimit: batchLimit)
        for offset in range { buffer.append(record(offset)) }
        return buffer
    }

    @Test func `batches come in order and no larger than the limit`() {
        var buffer = buffer(0..<7, batchLimit: 3)
        #expect(buffer.removeBatch().map(\.offset) == [0, 1, 2])
        #expect(buffer.count == 4)
        #expect(buffer.removeBatch().map(\.offset) == [3, 4, 5])
        #expect(buffer.removeBatch().map(\.offset) == [6])
        #expect(buffer.removeBatch().isEmpty)
        #expect(buffer.count == 0)
        #expect(buffer.bytes == 0)
    }

    @Test func `what comes joins the last batch while that is not full`() {
        var buffer = buffer(0..<4, batchLimit: 3)
        buffer.append(record(4))
        buffer.append(record(5))
        buffer.append(record(6))
        #expect(buffer.removeBatch().map(\.offset) == [0, 1, 2])
        #expect(buffer.removeBatch().map(\.offset) == [3, 4, 5])
        #expect(buffer.removeBatch().map(\.offset) == [6])
    }

    @Test func `above its share the partition is paused once, below a quarter of it it comes again once`() {
        var buffer = buffer(0..<0, batchLimit: 1)
        for offset in Int64(0)..<8 { buffer.append(record(offset, bytes: 936)) }
        #expect(buffer.regulate(share: 8_000) == .unchanged)
        buffer.append(record(8))
        #expect(buffer.regulate(share: 8_000) == .pause)
        #expect(buffer.regulate(share: 8_000) == .unchanged)
        for _ in 0..<6 { _ = buffer.removeBatch() }
        #expect(buffer.regulate(share: 8_000) == .unchanged)
        _ = buffer.removeBatch()
        #expect(buffer.regulate(share: 8_000) == .resume)
        #expect(buffer.regulate(share: 8_000) == .unchanged)
    }

    @Test func `with more partitions the share is smaller`() {
        var buffer = buffer(0..<100)
        #expect(buffer.regulate(share: 8_000) == .unchanged)
        #expect(buffer.regulate(share: 6_000) == .pause)
        #expect(buffer.regulate(share: 40_000) == .resume)
    }

    @Test func `a record that came already is dropped, a hole in the offsets is not`() {
        var buffer = buffer(0..<3)
        buffer.append(record(1))
        buffer.append(record(2))
        buffer.append(record(9))
        #expect(buffer.removeBatch().map(\.offset) == [0, 1, 2, 9])
    }
}
