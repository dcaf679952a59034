import CRDKafka
import TestSupport
import Testing

@testable import KafkaBridge

@Suite("Assignments one right after the other", .timeLimit(.minutes(4)))
struct AssignmentTests {
    // librdkafka #5573 ends the process when it still carries out the one before.
    @Test("are each carried out, the last one reads every partition, and each reading tells when it is at the end")
    func quick() async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic()
        let partitions = (Int32(0)..<4).map { TopicPartition(topic, $0) }
        let producer = try cluster.producer()
        func send(_ range: Range<Int>) async throws {
            for partition in partitions {
                _ = try await producer.send(contentsOf: messages(topic, partition.partition, range))
            }
        }
        try await send(0..<3)
        let handle = try ClientHandle(
            .consumer, cluster.configuration,
            settings: cluster.consumerOptions.settings(group: "group-\(topic)", member: nil),
            events: RD_KAFKA_EVENT_FETCH, logger: testLogger)
        defer { handle.destroy() }
        func assign(at offset: Int64) {
            let starts = Dictionary(uniqueKeysWithValues: partitions.map { ($0, offset) })
            #expect(handle.assign(starts, incrementally: false) == nil)
        }
        for _ in 0..<1_000 { assign(at: 0) }
        // These can only be read by the last one.
        try await send(3..<4)
        var reading = Reading()
        try await eventually {
            reading.take(handle)
            return partitions.allSatisfy { reading.newest[$0] == 3 && reading.ended.contains($0) }
        }
        reading = Reading()
        assign(at: 4)
        try await eventually {
            reading.take(handle)
            return reading.ended == Set(partitions)
        }
        #expect(reading.newest.isEmpty)
        #expect(handle.unassign(partitions, incrementally: false) == nil)
    }

    /// What librdkafka told.
    private struct Reading {
        /// The offset of the newest record.
        var newest: [TopicPartition: Int64] = [:]
        /// The partitions that were read to their end.
        var ended: Set<TopicPartition> = []

        mutating func take(_ handle: ClientHandle) {
            var reader = RecordReader(handle.names)
            while let event = handle.poll() {
                if KafkaError.Code(rawValue: event.error.rawValue) == .endOfPartition,
                    let partition = event.partition(handle.names)
                {
                    ended.insert(partition)
                }
                while let message = event.nextMessage() {
                    let partition = reader.partition(message.pointee)
                    ended.remove(partition)
                    newest[partition] = message.pointee.offset
                }
            }
        }
    }
}
