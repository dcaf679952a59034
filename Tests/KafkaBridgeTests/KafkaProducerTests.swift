import KafkaBridge
import OrchardServiceKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct KafkaProducerTests {
    let cluster: TestCluster

    init() async throws { cluster = try await TestCluster.shared }

    @Test func `a message arrives as it was sent`() async throws {
        let topic = try await cluster.topic()
        let producer = try cluster.producer()
        let headers = [
            KafkaHeader("ce_type", "orchard.payment.succeeded.v1"), KafkaHeader("twice", "1"),
            KafkaHeader("twice", "2"),
            KafkaHeader("bytes", [0, 255, 128]), KafkaHeader("empty", []),
        ]
        let message = KafkaMessage(topic: topic, partition: 2, key: [0, 1, 2], value: [3, 0, 4], headers: headers)
        let delivery = try await producer.send(message)
        #expect(delivery == Delivery(topicPartition: TopicPartition(topic, 2), offset: 0))

        let reader = try KafkaReader(cluster.configuration, logger: testLogger)
        let record = try #require(try await reader.lastRecord(of: TopicPartition(topic, 2)))
        #expect(record.topicPartition == delivery.topicPartition)
        #expect(record.offset == 0)
        #expect(record.key == [0, 1, 2])
        #expect(record.value == [3, 0, 4])
        #expect(record.headers == headers)
        #expect(record.timestamp > 1_700_000_000_000)
    }

    @Test func `a batch keeps its order in each partition and is acknowledged as a whole`() async throws {
        let topic = try await cluster.topic()
        let producer = try cluster.producer()
        let batch = (0..<1000).map { messages(topic, Int32($0 % 4), $0..<$0 + 1)[0] }
        let deliveries = try await producer.send(contentsOf: batch)
        #expect(deliveries.map(\.topicPartition.partition) == batch.map(\.partition))
        #expect(deliveries.map(\.offset) == (0..<1000).map { Int64($0 / 4) })
    }

    @Test func `a full queue makes senders wait and loses nothing`() async throws {
        let topic = try await cluster.topic()
        let producer = try cluster.producer { $0.queueLimit = 10 }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<4 {
                group.addTask { try await producer.send(contentsOf: messages(topic, Int32(lane), 0..<100)).count }
            }
            var delivered = 0
            for try await count in group { delivered += count }
            #expect(delivered == 400)
        }
    }

    @Test func `a partition that does not exist is refused for that message alone`() async throws {
        let topic = try await cluster.topic()
        let producer = try cluster.producer()
        let results = await producer.deliver(
            messages(topic, 0, 0..<1) + messages(topic, 77, 1..<2) + messages(topic, 1, 2..<3))
        #expect(throws: Never.self) { try results[0].get() }
        #expect(throws: KafkaError(.unknownPartition, "")) { try results[1].get() }
        #expect(throws: Never.self) { try results[2].get() }
    }
}
