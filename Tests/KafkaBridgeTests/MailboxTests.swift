import Testing

@testable import KafkaBridge

@Suite struct MailboxTests {
    private func record(_ offset: Int64, bytes: Int = 0) -> KafkaRecord {
        KafkaRecord(
            topicPartition: TopicPartition("t", 0), offset: offset, timestamp: 0, key: nil,
            value: [UInt8](repeating: 0, count: bytes), headers: [])
    }

    private func mailbox(_ range: Range<Int64>) -> Mailbox {
        var mailbox = Mailbox(
            limits: .init(pauseAbove: 4, resumeBelow: 2, pauseAboveBytes: 10_000, resumeBelowBytes: 2_000))
        for offset in range { mailbox.append(record(offset)) }
        return mailbox
    }

    @Test func `batches come in order and no larger than asked for`() {
        var mailbox = mailbox(0..<7)
        #expect(mailbox.take(3).map(\.offset) == [0, 1, 2])
        #expect(mailbox.take(3).map(\.offset) == [3, 4, 5])
        #expect(mailbox.take(3).map(\.offset) == [6])
        #expect(mailbox.take(3).isEmpty)
        #expect(mailbox.count == 0)
    }

    @Test func `above its limit the partition is paused once, below the lower mark it comes again once`() {
        var mailbox = mailbox(0..<5)
        #expect(mailbox.regulate() == .pause)
        #expect(mailbox.regulate() == .unchanged)
        _ = mailbox.take(3)
        #expect(mailbox.count == 2)
        #expect(mailbox.regulate() == .unchanged)
        _ = mailbox.take(1)
        #expect(mailbox.regulate() == .resume)
        #expect(mailbox.regulate() == .unchanged)
    }

    @Test func `few large records pause as well`() {
        var mailbox = mailbox(0..<0)
        mailbox.append(record(0, bytes: 9_000))
        #expect(mailbox.regulate() == .unchanged)
        mailbox.append(record(1, bytes: 9_000))
        #expect(mailbox.regulate() == .pause)
        _ = mailbox.take(1)
        #expect(mailbox.regulate() == .unchanged)
        _ = mailbox.take(1)
        #expect(mailbox.regulate() == .resume)
    }

    @Test func `a record that came already is dropped, a hole in the offsets is not`() {
        var mailbox = mailbox(0..<3)
        mailbox.append(record(1))
        mailbox.append(record(2))
        mailbox.append(record(9))
        #expect(mailbox.take(10).map(\.offset) == [0, 1, 2, 9])
    }
}
