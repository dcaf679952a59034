import Foundation
import KafkaBridge
import OrchardServiceKit
import TestSupport
import Testing

/// What the mock cluster cannot show. Runs with `ORCHARD_REAL_KAFKA=1`.
@Suite(.enabled(if: RealKafka.isWanted), .timeLimit(.minutes(6))) struct RealKafkaTests {
    @Test func `topics are created once, and each deviation is reported`() async throws {
        let cluster = try await TestCluster.shared
        let admin = try cluster.admin()
        let name = "topics-\(UInt32.random(in: 0...UInt32.max))"
        let settings = ["retention.ms": "604800000", "segment.ms": "3600000", "cleanup.policy": "delete"]
        let check = TopicCheck([TopicSpecification(name: name, partitions: 4, settings: settings)])
        #expect(try await check.problems(on: admin) == [.missing(topic: name)])
        #expect(try await check.create(on: admin) == [name])
        #expect(try await check.problems(on: admin) == [])
        #expect(try await check.create(on: admin) == [])
        // Even when somebody else has just created it.
        #expect(try await admin.createTopics(check.topics) == [])

        let other = TopicCheck([
            TopicSpecification(name: name, partitions: 6, settings: ["retention.ms": "-1", "segment.ms": "3600000"])
        ])
        #expect(
            try await other.problems(on: admin) == [
                .fewerPartitions(topic: name, found: 4, wanted: 6),
                .setting(topic: name, name: "retention.ms", found: "604800000", wanted: "-1"),
            ])
    }

    @Test func `a namespace creates, describes and deletes its own topics and leaves the others'`() async throws {
        let cluster = try await TestCluster.shared
        let run = UInt32.random(in: 0...UInt32.max)
        let (own, other) = (
            cluster.within(namespace: "own-\(run)."), cluster.within(namespace: "other-\(run).")
        )
        let topics = ["retention.ms": "-1", "segment.ms": "3600000"].map { setting in
            TopicSpecification(name: "orders.\(setting.key)", partitions: 2, settings: [setting.key: setting.value])
        }
        let names = Set(topics.map(\.name))
        let check = TopicCheck(topics)
        for namespace in [own, other] {
            #expect(Set(try await check.create(on: namespace.admin())) == names)
            #expect(try await check.problems(on: namespace.admin()) == [])
        }
        let admin = try own.admin()
        try await admin.deleteTopics(names.sorted())
        #expect(try await admin.partitionCounts() == [:])
        // A person needs the name that Kafka's tools know.
        #expect(
            Set(try await check.problems(on: admin)) == Set(names.map { .missing(topic: "own-\(run).\($0)") }))
        #expect(try await other.admin().partitionCounts().count == 2)
        // What is gone is gone: no error, and it can be made again.
        try await admin.deleteTopics(names.sorted())
        #expect(Set(try await check.create(on: admin)) == names)
        try await admin.deleteTopics(names.sorted())
        try await other.admin().deleteTopics(names.sorted())
    }

    @Test func `a topic that cannot be created is named with the broker's reason`() async throws {
        let admin = try await TestCluster.shared.admin()
        do throws(KafkaError) {
            _ = try await admin.createTopics([
                TopicSpecification(name: "no good name", partitions: 1),
                TopicSpecification(name: "too-many-copies", partitions: 1, replicationFactor: 7),
            ])
            Issue.record("a broker created the impossible")
        } catch {
            #expect(error.reason.contains("no good name") && error.reason.contains("too-many-copies"))
        }
    }

    @Test func `a backlog of many megabytes in one partition is read whole and in order`() async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic("backlog")
        let producer = try cluster.producer { $0.compression = "none" }
        let value = [UInt8](repeating: 9, count: 1024)
        let count = 40_000
        for _ in 0..<8 {
            _ = try await producer.send(
                contentsOf: (0..<count / 8).map { _ in KafkaMessage(topic: topic, partition: 0, key: nil, value: value)
                })
        }
        let ledger = Recorder(Ledger())
        let member = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger))) { batch in
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { $0.next[TopicPartition(topic, 0)] == Int64(count) }
        try await member.leave()
        #expect(await ledger.state.offsets[TopicPartition(topic, 0)] == Array(0..<Int64(count)))

        let reader = try KafkaReader(cluster.configuration, logger: testLogger)
        let seen = Recorder<Int>(0)
        try await reader.read(TopicPartition(topic, 0)) { batch in await seen.update { $0 += batch.count } }
        #expect(await seen.state == count)
    }

    @Test func `a killed broker that comes back loses nothing and is found again by all`() async throws {
        let kafka = try await RealKafka.start()
        let cluster = TestCluster(real: kafka.bootstrapServers)
        let topic = try await cluster.topic("restart")
        let ledger = Recorder(Ledger())
        let producer = try cluster.producer { $0.deliveryTimeout = nil }
        let member = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger))) { batch in
            await ledger.update { $0.book(batch) }
        }
        _ = try await producer.send(contentsOf: messages(topic, 0..<1000))
        let partition = TopicPartition(topic, 0)
        await ledger.wait { $0.next[partition] == 1000 }
        let admin = try cluster.admin()
        _ = try await admin.committedOffsets(group: "group-\(topic)", of: [partition])
        try await kafka.kill()
        async let later = producer.send(contentsOf: messages(topic, 1000..<2000))
        try await kafka.restart()
        #expect(try await later.map(\.offset) == Array(1000..<2000))
        await ledger.wait { $0.next[partition] == 2000 }
        try await member.leave()
        #expect(await ledger.state.values[partition].map(Set.init)?.count == 2000)
        try await eventually {
            (try? await admin.committedOffsets(group: "group-\(topic)", of: [partition])) == [partition: 2000]
        }
        try await kafka.kill()
    }

    @Test func `a broker that hangs fails sends after a time, and the idempotent producer survives it`()
        async throws
    {
        let kafka = try await RealKafka.start()
        let cluster = TestCluster(real: kafka.bootstrapServers)
        let topic = try await cluster.topic("hang")
        let producer = try cluster.producer { $0.deliveryTimeout = .seconds(2) }
        _ = try await producer.send(contentsOf: messages(topic, 0..<100))
        try await kafka.pause()
        await withTaskGroup(of: Void.self) { group in
            for lane in 1..<9 {
                group.addTask {
                    let results = await producer.deliver(
                        messages(topic, Int32(lane % 4), lane * 100..<lane * 100 + 100))
                    for case .failure(let error) in results {
                        #expect(error.code == .deliveryTimedOut && error.isTransient)
                    }
                    #expect(results.contains { if case .failure = $0 { true } else { false } })
                }
            }
        }
        try await kafka.resume()
        try await eventually { (try? await producer.send(messages(topic, 3, 0..<1)[0])) != nil }
        // The order within a partition still holds.
        let deliveries = try await producer.send(contentsOf: messages(topic, 2000..<2500))
        #expect(deliveries.map(\.offset) == deliveries.map(\.offset).sorted())
        try await kafka.kill()
    }

    @Test func `an offset that the log has deleted is refused, reported, and not skipped`() async throws {
        let kafka = try await RealKafka.start()
        let cluster = TestCluster(real: kafka.bootstrapServers)
        let topic = try await cluster.topic("deleted")
        let producer = try cluster.producer()
        _ = try await producer.send(contentsOf: messages(topic, 0..<100))
        let file = kafka.directory + "/delete.json"
        try #"{"version": 1, "partitions": [{"topic": "\#(topic)", "partition": 0, "offset": 60}]}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        _ = try await kafka.tool("kafka-delete-records", "--offset-json-file", file)
        let partition = TopicPartition(topic, 0)
        #expect(try await cluster.admin().watermarks(partition) == Watermarks(low: 60, high: 100))
        let reader = try KafkaReader(cluster.configuration, logger: testLogger)
        do {
            try await reader.read(partition, from: 0) { _ in }
            Issue.record("a deleted record was read")
        } catch let error as KafkaError {
            #expect(error.code == .offsetOutOfRange)
            #expect(error.reason.contains("60 to 99"))
        }
        let ledger = Recorder(Ledger())
        let (reports, continuation) = AsyncStream<(Bool, String)>.makeStream()
        let member = Member(
            try cluster.consumer(topic, LedgerObserver(ledger: ledger), report: { continuation.yield(($0, $1)) })
        ) { batch in
            await ledger.update { $0.book(batch) }
        }
        for await (isReady, reason) in reports where reason.contains("\(partition)") {
            #expect(!isReady)
            break
        }
        try await member.leave()
        #expect(await ledger.state.count == 0)
        try await kafka.kill()
    }

    @Test func `TLS settings are passed through, and without a certificate nobody is let in`() async throws {
        let kafka = try await RealKafka.start(["--security", "tls"])
        let authority = kafka.directory + "/ca/ca.crt"
        var settings = ["security.protocol": "ssl", "ssl.ca.location": authority]
        let stranger = try KafkaAdmin(
            KafkaConfiguration(bootstrapServers: kafka.bootstrapServers, clientID: "t", extra: settings),
            timeout: .seconds(2), logger: testLogger)
        await #expect(throws: KafkaError.self) { try await stranger.partitionCounts() }
        settings["ssl.certificate.location"] = kafka.directory + "/ca/token-ingest.crt"
        settings["ssl.key.location"] = kafka.directory + "/ca/token-ingest.key"
        let configuration = KafkaConfiguration(
            bootstrapServers: kafka.bootstrapServers, clientID: "t", extra: settings)
        let admin = try KafkaAdmin(configuration, logger: testLogger)
        _ = try await admin.createTopics([TopicSpecification(name: "secret", partitions: 1)])
        let producer = try KafkaProducer(configuration, logger: testLogger)
        let delivery = try await producer.send(messages("secret", 0..<1)[0])
        #expect(delivery.offset == 0)
        let reader = try KafkaReader(configuration, logger: testLogger)
        #expect(try await reader.lastRecord(of: TopicPartition("secret", 0))?.value == Array("v0".utf8))
        try await kafka.kill()
    }
}
