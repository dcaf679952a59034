import TestSupport
import Testing

@testable import KafkaBridge

@Suite("Assignments one right after the other", .timeLimit(.minutes(4)))
struct AssignmentTests {
    // librdkafka #5573 ends the process when it still carries out the one before.
    @Test("are each carried out, and all partitions are read in the end")
    func quick() async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic()
        let partitions = (Int32(0)..<4).map { TopicPartition(topic, $0) }
        let producer = try cluster.producer()
        for partition in partitions {
            _ = try await producer.send(contentsOf: messages(topic, partition.partition, 0..<3))
        }
        let handle = try ClientHandle(
            .consumer, cluster.configuration,
            settings: cluster.consumerOptions.settings(group: "group-\(topic)", member: nil), events: 0,
            logger: testLogger)
        defer { handle.destroy() }
        let starts = Dictionary(uniqueKeysWithValues: partitions.map { ($0, Int64(0)) })
        for _ in 0..<1_000 { #expect(handle.assign(starts, incrementally: false) == nil) }
        try await eventually { partitions.allSatisfy { handle.knownHighWatermark($0) == 3 } }
        #expect(handle.unassign(partitions, incrementally: false) == nil)
    }
}
