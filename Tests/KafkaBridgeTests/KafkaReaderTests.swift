import KafkaBridge
import OrchardServiceKit
import Testing

@Suite(.timeLimit(.minutes(4))) struct KafkaReaderTests {
    let cluster: TestCluster
    let reader: KafkaReader

    init() async throws {
        cluster = try await TestCluster.shared
        reader = try KafkaReader(cluster.configuration, logger: testLogger)
    }

    @Test func `the last record of a partition is found, and an empty partition has none`() async throws {
        let topic = try await cluster.topic()
        #expect(try await reader.lastRecord(of: TopicPartition(topic, 1)) == nil)
        let producer = try cluster.producer()
        _ = try await producer.send(contentsOf: messages(topic, 1, 0..<50))
        let last = try #require(try await reader.lastRecord(of: TopicPartition(topic, 1)))
        #expect(last.offset == 49)
        #expect(last.value == Array("v49".utf8))
        #expect(try await reader.watermarks(TopicPartition(topic, 1)) == Watermarks(low: 0, high: 50))
    }

    @Test(arguments: [(0, Int64?.none, 0..<3000), (10, 20, 10..<20), (2999, nil, 2999..<3000), (3000, nil, 0..<0)])
    func `a range is read whole, in order, in batches`(
        _ start: Int64, _ end: Int64?, _ expected: Range<Int>
    ) async throws {
        let topic = try await cluster.topic()
        let producer = try cluster.producer()
        _ = try await producer.send(contentsOf: messages(topic, 0, 0..<3000))
        let seen = Recorder<[KafkaRecord]>([])
        let next = try await reader.read(TopicPartition(topic, 0), from: start, to: end, limit: 700) { batch in
            #expect(!batch.isEmpty && batch.count <= 700)
            await seen.update { $0 += batch }
        }
        #expect(await seen.state.map(\.offset) == expected.map(Int64.init))
        #expect(await seen.state.map(\.value) == expected.map { Array("v\($0)".utf8) })
        #expect(next == end ?? 3000)
    }

    @Test func `the end is that of the beginning: records that come meanwhile are not read`() async throws {
        let topic = try await cluster.topic()
        let producer = try cluster.producer()
        _ = try await producer.send(contentsOf: messages(topic, 0, 0..<10))
        let seen = Recorder<[Int64]>([])
        try await reader.read(TopicPartition(topic, 0), limit: 1) { batch in
            _ = try await producer.send(contentsOf: messages(topic, 0, 10..<20))
            await seen.update { $0 += batch.map(\.offset) }
        }
        #expect(await seen.state == Array(0..<10))
    }

    @Test func `two who read one partition at the same time both read all of it`() async throws {
        let topic = try await cluster.topic()
        let producer = try cluster.producer()
        _ = try await producer.send(contentsOf: messages(topic, 0, 0..<3000))
        let seen = Recorder<[String: [Int64]]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["first", "second"] {
                group.addTask {
                    try await reader.read(TopicPartition(topic, 0), limit: 10) { batch in
                        await seen.update { $0[name, default: []] += batch.map(\.offset) }
                        // The other one would come in between, if it did not wait for its turn.
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await seen.state == ["first": Array(0..<3000), "second": Array(0..<3000)])
    }

    @Test func `a range that the log does not hold is refused with what it holds`() async throws {
        let topic = try await cluster.topic()
        let producer = try cluster.producer()
        _ = try await producer.send(contentsOf: messages(topic, 0, 0..<10))
        await #expect(throws: KafkaError(.offsetOutOfRange, "")) {
            try await reader.read(TopicPartition(topic, 0), from: 5, to: 11) { _ in }
        }
    }

    @Test func `an error of the body ends the reading, and the reader goes on`() async throws {
        struct Enough: Error {}
        let topic = try await cluster.topic()
        let producer = try cluster.producer()
        _ = try await producer.send(contentsOf: messages(topic, 0, 0..<10))
        await #expect(throws: Enough.self) {
            try await reader.read(TopicPartition(topic, 0), limit: 3) { _ in throw Enough() }
        }
        #expect(try await reader.lastRecord(of: TopicPartition(topic, 0))?.offset == 9)
    }
}
