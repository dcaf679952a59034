import Foundation
import OrchardServiceKit
import Testing

@testable import KafkaBridge

@Suite(.timeLimit(.minutes(4))) struct NamespaceTests {
    @Test(arguments: [
        ("", "orders", "orders"), ("demo-1.", "orders", "demo-1.orders"), ("a", "a", "aa"),
        ("t.", "t.orders", "t.t.orders"),
    ])
    func `a name goes out with the namespace and comes in without it`(
        _ prefix: String, _ inner: String, _ outer: String
    ) {
        let names = Namespace(prefix)
        #expect(names.outer(inner) == outer)
        #expect(names.inner(outer) == inner)
    }

    @Test(arguments: [("demo-1.", "orders"), ("demo-1.", "demo-11.orders"), ("demo-1.", "Demo-1.orders"), ("a", "")])
    func `another namespace's topic has no name in this one`(_ prefix: String, _ outer: String) {
        #expect(Namespace(prefix).inner(outer) == nil)
    }

    @Test func `offsets count in the log of a namespace, so that a watermark of another one is not believed`() {
        let logs = ["", "a.", "b."].map { Namespace($0).log(ofCluster: "c1") }
        #expect(logs[0] == "c1")
        #expect(Set(logs).count == 3)
    }

    @Test(arguments: [
        ("", true), ("demo-1.", true), ("A_z0-9.", true), (String(repeating: "n", count: 64), true),
        (String(repeating: "n", count: 65), false), ("a/b", false), ("^a", false), ("a b", false), ("ä", false),
        ("a\n", false),
    ])
    func `a namespace is what may stand in a topic's name`(_ text: String, _ isGood: Bool) throws {
        #expect((Namespace.problem(text) == nil) == isGood)
        let environment = ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "KAFKA_NAMESPACE": text]
        let sources = ConfigSources(environment: environment)
        if isGood {
            let (read, _) = try ConfigReader.read(sources) { KafkaConfiguration(reader: $0, clientID: "t") }
            #expect(read.namespace == text)
        } else {
            #expect(throws: ConfigurationError.self) {
                try ConfigReader.read(sources) { KafkaConfiguration(reader: $0, clientID: "t") }
            }
            #expect(throws: KafkaError(.invalidConfiguration, "")) {
                try KafkaReader(
                    KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "t", namespace: text),
                    logger: testLogger)
            }
        }
    }

    /// Two clusters that are namespaces of one, and a topic that both call by the same name.
    private func neighbours() async throws -> (clusters: [TestCluster], topic: String) {
        let whole = try await TestCluster.shared
        let clusters = ["a", "b"].map { whole.within(namespace: "\($0)-\(UInt32.random(in: 0...UInt32.max)).") }
        for cluster in clusters { try await cluster.create("orders") }
        return (clusters, "orders")
    }

    @Test func `namespaces of one broker see their own topics, records and ends only`() async throws {
        let (clusters, topic) = try await neighbours()
        let partition = TopicPartition(topic, 1)
        _ = try await clusters[0].producer().send(contentsOf: messages(topic, 1, 0..<10))
        let delivery = try await clusters[1].producer().send(messages(topic, 1, 50..<51)[0])
        #expect(delivery.topicPartition == partition && delivery.offset == 0)
        for (cluster, (end, value)) in zip(clusters, [(10, "v9"), (1, "v50")] as [(Int64, String)]) {
            let admin = try cluster.admin()
            #expect(try await admin.partitionCounts() == [topic: 4])
            #expect(try await admin.watermarks(partition) == Watermarks(low: 0, high: end))
            let last = try await KafkaReader(cluster.configuration, logger: testLogger).lastRecord(of: partition)
            #expect(last?.topicPartition == partition)
            #expect(last?.value == Array(value.utf8))
        }
        // An Orchard without a namespace sees both, by their whole names.
        let all = try await TestCluster.shared.admin().partitionCounts().keys
        for cluster in clusters { #expect(all.contains(cluster.configuration.namespace + topic)) }
    }

    @Test func `groups of one name in two namespaces share neither records nor offsets`() async throws {
        let (clusters, topic) = try await neighbours()
        let partition = TopicPartition(topic, 0)
        for (cluster, range) in zip(clusters, [0..<20, 100..<103]) {
            _ = try await cluster.producer().send(contentsOf: messages(topic, range))
        }
        let ledgers = clusters.map { _ in Recorder(Ledger()) }
        let members = try zip(clusters, ledgers).map { cluster, ledger in
            Member(try cluster.consumer(topic, group: "books", LedgerObserver(ledger: ledger))) { batch in
                await ledger.update { $0.book(batch) }
            }
        }
        await ledgers[0].wait { $0.next[partition] == 20 }
        await ledgers[1].wait { $0.next[partition] == 3 }
        for member in members { try await member.leave() }
        for (cluster, (ledger, end)) in zip(clusters, zip(ledgers, [20, 3] as [Int64])) {
            let state = await ledger.state
            #expect(state.count == Int(end))
            #expect(state.assigned.flatMap(\.self).allSatisfy { $0.topic == topic })
            let committed = try await cluster.admin().committedOffsets(group: "books", of: [partition])
            #expect(committed == [partition: end])
            // In the cluster the group has the namespace too: nobody else's members join it.
            let prefix = cluster.configuration.namespace
            let whole = TopicPartition(prefix + topic, 0)
            let outside = try await TestCluster.shared.admin()
            #expect(try await outside.committedOffsets(group: prefix + "books", of: [whole]) == [whole: end])
            #expect(try await outside.committedOffsets(group: "books", of: [whole]).isEmpty)
        }
    }
}
