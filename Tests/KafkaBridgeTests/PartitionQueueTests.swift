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

    @Test(
        "is silent when nothing has come for 5 s though there is something, or though not even the log's end is known",
        arguments: [
            (nil, 6, true), (nil, 4, false), (18, 6, true), (18, 4, false), (8, 6, false), (7, 6, false),
        ] as [(Int64?, Int, Bool)])
    func silent(high: Int64?, seconds: Int, isSilent: Bool) {
        #expect(Self.queue().isSilent(high: high, at: .now + .seconds(seconds)) == isSilent)
    }

    @Test(
        "is not silent before librdkafka reads, nor when its partition leaves; when it is read anew it has twice the time"
    )
    func times() {
        var queue = Self.queue()
        queue.begin(at: 8)
        #expect(!queue.isSilent(high: nil, at: .now + .seconds(6)))
        queue.assigned()
        #expect(queue.isSilent(high: nil, at: .now + .seconds(6)))
        queue.readAgain()
        queue.assigned()
        #expect(!queue.isSilent(high: nil, at: .now + .seconds(9)))
        #expect(queue.isSilent(high: nil, at: .now + .seconds(11)))
        queue.finish()
        #expect(!queue.isSilent(high: nil, at: .now + .seconds(6)))
    }
}
