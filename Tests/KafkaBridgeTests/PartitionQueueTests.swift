import Testing

@testable import KafkaBridge

@Suite("The queue of a partition")
struct PartitionQueueTests {
    /// A queue whose reading began at offset 8, as librdkafka knows.
    private static func queue() -> PartitionQueue {
        let (_, cancellation) = AsyncStream<Never>.makeStream()
        var queue = PartitionQueue(
            assignment: PartitionAssignment(partition: TopicPartition("facts", 6), generation: 1),
            cancellation: cancellation)
        queue.begin(at: 8)
        queue.assigned()
        return queue
    }

    @Test("is silent when librdkafka has said nothing for more than 5 s", arguments: [(6, true), (4, false)])
    func silent(seconds: Int, isSilent: Bool) {
        #expect(Self.queue().isSilent(at: .now + .seconds(seconds)) == isSilent)
    }

    @Test("is not silent with a record, nor at its end")
    func answered() {
        var queue = Self.queue()
        queue.append(
            KafkaRecord(
                topicPartition: queue.assignment.partition, offset: 8, timestamp: 0, key: nil, value: [], headers: []))
        #expect(!queue.isSilent(at: .now + .seconds(6)))
        queue = Self.queue()
        queue.reachedEnd()
        #expect(!queue.isSilent(at: .now + .seconds(6)))
        // What the reading before says comes too late.
        queue.begin(at: 8)
        queue.reachedEnd()
        queue.assigned()
        #expect(queue.isSilent(at: .now + .seconds(6)))
    }

    @Test(
        "is not silent before librdkafka reads, nor when its partition leaves; when it is read anew it has twice the time"
    )
    func times() {
        var queue = Self.queue()
        queue.begin(at: 8)
        #expect(!queue.isSilent(at: .now + .seconds(6)))
        queue.assigned()
        #expect(queue.isSilent(at: .now + .seconds(6)))
        queue.readAgain()
        queue.assigned()
        #expect(!queue.isSilent(at: .now + .seconds(9)))
        #expect(queue.isSilent(at: .now + .seconds(11)))
        for _ in 0..<100 { queue.readAgain() }
        #expect(!queue.isSilent(at: .now + .seconds(299)))
        #expect(queue.isSilent(at: .now + .seconds(301)))
        // It was read since: the next silence is a new one.
        queue.reachedEnd()
        queue.assigned()
        #expect(queue.isSilent(at: .now + .seconds(6)))
        queue.finish()
        #expect(!queue.isSilent(at: .now + .seconds(301)))
    }
}
