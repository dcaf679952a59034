import Testing

@testable import KafkaBridge

@Suite("The queue of a partition")
struct PartitionQueueTests {
    /// A queue whose reading began at offset 8, as librdkafka knows.
    private static func queue() -> PartitionQueue {
        let (_, cancellation) = AsyncStream<Never>.makeStream()
        let queue = PartitionQueue(
            assignment: PartitionAssignment(partition: TopicPartition("facts", 6), generation: 1),
            batchLimit: 500, cancellation: cancellation)
        queue.begin(at: 8)
        queue.assigned()
        return queue
    }

    @Test("is silent when librdkafka has said nothing for more than 5 s", arguments: [(6, true), (4, false)])
    func silent(seconds: Int, isSilent: Bool) {
        #expect(Self.queue().isSilent(at: .now + .seconds(seconds), after: 0) == isSilent)
    }

    @Test("is not silent with a record, nor at its end")
    func answered() {
        var queue = Self.queue()
        let record = KafkaRecord(
            topicPartition: queue.assignment.partition, offset: 8, timestamp: 0, key: nil, value: [], headers: [])
        queue.append(record)
        #expect(!queue.isSilent(at: .now + .seconds(6), after: 0))
        queue = Self.queue()
        queue.reachedEnd()
        #expect(!queue.isSilent(at: .now + .seconds(6), after: 0))
        // What the reading before says comes too late.
        queue.begin(at: 8)
        queue.reachedEnd()
        queue.assigned()
        #expect(queue.isSilent(at: .now + .seconds(6), after: 0))
    }

    @Test("is not silent before librdkafka reads, nor when its partition leaves")
    func others() {
        let queue = Self.queue()
        queue.begin(at: 8)
        #expect(!queue.isSilent(at: .now + .seconds(6), after: 0))
        queue.assigned()
        #expect(queue.isSilent(at: .now + .seconds(6), after: 0))
        queue.finish()
        #expect(!queue.isSilent(at: .now + .seconds(301), after: 0))
    }

    @Test(
        "has twice as long after each time that partitions were read anew, 5 minutes at most",
        arguments: [(0, 5), (1, 10), (2, 20), (6, 300), (100, 300)])
    func longest(readings: Int, seconds: Int) {
        #expect(!Self.queue().isSilent(at: .now + .seconds(seconds - 1), after: readings))
        #expect(Self.queue().isSilent(at: .now + .seconds(seconds + 1), after: readings))
    }

    @Test("counts its own attempts until it is heard: the next silence is a new one")
    func attempts() {
        let queue = Self.queue()
        #expect(queue.awaitsReading && queue.attempts == 0)
        queue.readAgain()
        queue.assigned()
        #expect(queue.awaitsReading && queue.attempts == 1)
        queue.reachedEnd()
        #expect(!queue.awaitsReading && queue.attempts == 0)
    }
}
