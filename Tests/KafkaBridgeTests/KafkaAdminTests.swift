import KafkaBridge
import OrchardServiceKit
import Testing

@Suite(.timeLimit(.minutes(4))) struct KafkaAdminTests {
    let cluster: TestCluster
    let admin: KafkaAdmin

    init() async throws {
        cluster = try await TestCluster.shared
        admin = try cluster.admin()
    }

    @Test func `a cluster tells its id, the same each time`() async throws {
        let id = try await admin.clusterID()
        #expect(!id.isEmpty)
        #expect(try await cluster.admin().clusterID() == id)
    }

    @Test func `who is cancelled waits for no broker`() async throws {
        // No broker listens there.
        let nowhere = KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "test")
        let admin = try KafkaAdmin(nowhere, timeout: .seconds(30), logger: testLogger)
        let reader = try KafkaReader(nowhere, timeout: .seconds(30), logger: testLogger)
        let partition = TopicPartition("t", 0)
        let begin = ContinuousClock.now
        let questions: [@Sendable () async throws -> Void] = [
            { _ = try await admin.partitionCounts() }, { _ = try await admin.clusterID() },
            { _ = try await admin.watermarks(partition) },
            { _ = try await admin.committedOffsets(group: "g", of: [partition]) },
            { _ = try await reader.lastRecord(of: partition) },
        ]
        await withTaskGroup(of: KafkaError.Code?.self) { group in
            for question in questions {
                group.addTask {
                    do { try await question() } catch { return (error as? KafkaError)?.code }
                    return nil
                }
            }
            try? await Task.sleep(for: .milliseconds(300))
            group.cancelAll()
            for await code in group { #expect(code == .closed) }
        }
        #expect(.now > begin + .milliseconds(300))
        #expect(.now < begin + .seconds(10))
    }

    @Test func `partitions are counted, and asking creates no topic`() async throws {
        let topic = try await cluster.topic()
        #expect(try await admin.partitionCount(topic) == 4)
        #expect(try await admin.partitionCount(topic + "-absent") == nil)
        #expect(try await admin.partitionCount(topic + "-absent") == nil)
    }

    @Test func `the ends of a new partition are known at once, and those of none are refused`() async throws {
        let topic = try await cluster.topic()
        for partition in 0..<Int32(4) {
            #expect(try await admin.watermarks(TopicPartition(topic, partition)) == Watermarks(low: 0, high: 0))
        }
        await #expect(throws: KafkaError(.unknownTopicOrPartition, "")) {
            try await admin.watermarks(TopicPartition(topic, 4))
        }
        // The mock cluster makes each topic that anybody names.
        guard cluster.isReal else { return }
        await #expect(throws: KafkaError(.unknownTopicOrPartition, "")) {
            try await admin.watermarks(TopicPartition(topic + "-absent", 0))
        }
    }

    @Test func `a group that never was has committed nothing`() async throws {
        let topic = try await cluster.topic()
        let committed = try await admin.committedOffsets(
            group: "never-\(topic)", of: [TopicPartition(topic, 0), TopicPartition(topic, 1)])
        #expect(committed.isEmpty)
    }

    @Test func `a cluster without a controller tells no settings, and says so at once`() async throws {
        let topic = try await cluster.topic()
        if cluster.isReal {
            #expect(try await admin.describeConfig(topic)["cleanup.policy"] == "delete")
        } else {
            await #expect(throws: KafkaError(.unsupported, "")) { try await admin.describeConfig(topic) }
        }
    }

    @Test func `an unreachable cluster is an error that may be tried again`() async throws {
        let away = try KafkaAdmin(
            KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "t"), timeout: .milliseconds(200),
            logger: testLogger)
        do throws(KafkaError) {
            _ = try await away.partitionCounts()
            Issue.record("nobody answered and yet there was an answer")
        } catch {
            #expect(error.isTransient)
            #expect(error.reason == "asking for the topics: no broker answers at 127.0.0.1:1")
        }
    }
}
