import Testing

@testable import KafkaBridge

@Suite struct RecordBufferTests {
    private func record(_ offset: Int64, bytes: Int = 0) -> KafkaRecord {
        KafkaRecord(
            topicPartition: TopicPartition("t", 0), offset: offset, timestamp: 0, key: nil,
            value: [UInt8](repeating: 0, count: bytes), headers: [])
    }

    private func mailbox(_ range: Range<Int64>) -> RecordBuffer {
        var mailbox = RecordBuffer()
        for offset in range { mailbox.append(record(offset)) }
        return mailbox
    }

    @Test func `batches come in order and no larger than asked for`() {
        var mailbox = mailbox(0..<7)
        #expect(mailbox.removeFirst(3).map(\.offset) == [0, 1, 2])
        #expect(mailbox.removeFirst(3).map(\.offset) == [3, 4, 5])
        #expect(mailbox.removeFirst(3).map(\.offset) == [6])
        #expect(mailbox.removeFirst(3).isEmpty)
        #expect(mailbox.count == 0)
    }

    @Test func `above its share the partition is paused once, below a quarter of it it comes again once`() {
        var mailbox = mailbox(0..<0)
        for offset in Int64(0)..<8 { mailbox.append(record(offset, bytes: 936)) }
        #expect(mailbox.regulate(share: 8_000) == .unchanged)
        mailbox.append(record(8))
        #expect(mailbox.regulate(share: 8_000) == .pause)
        #expect(mailbox.regulate(share: 8_000) == .unchanged)
        _ = mailbox.removeFirst(6)
        #expect(mailbox.regulate(share: 8_000) == .unchanged)
        _ = mailbox.removeFirst(1)
        #expect(mailbox.regulate(share: 8_000) == .resume)
        #expect(mailbox.regulate(share: 8_000) == .unchanged)
    }

    @Test func `with more partitions the share is smaller`() {
        var mailbox = mailbox(0..<100)
        #expect(mailbox.regulate(share: 8_000) == .unchanged)
        #expect(mailbox.regulate(share: 6_000) == .pause)
        #expect(mailbox.regulate(share: 40_000) == .resume)
    }

    @Test func `a record that came already is dropped, a hole in the offsets is not`() {
        var mailbox = mailbox(0..<3)
        mailbox.append(record(1))
        mailbox.append(record(2))
        mailbox.append(record(9))
        #expect(mailbox.removeFirst(10).map(\.offset) == [0, 1, 2, 9])
    }
}
