import KafkaBridge
import OrchardServiceKit
import TestSupport
import Testing

/// What a worker's own name changes in its group. Runs with `ORCHARD_REAL_KAFKA=1`: the mock cluster knows no such names.
@Suite(.enabled(if: RealKafka.isWanted), .timeLimit(.minutes(6))) struct NamedMemberTests {
    private func member(
        _ name: String, _ topic: String, _ ledger: Recorder<Ledger>, in cluster: TestCluster,
        obstacleOf: @escaping @Sendable () async -> String? = { nil }
    ) throws -> Member {
        var options = cluster.consumerOptions
        // Nobody's session ends in these tests.
        options.sessionTimeout = .seconds(300)
        options.obstacleAfter = .seconds(1)
        var observer = LedgerObserver(ledger: ledger)
        observer.obstacleOf = obstacleOf
        return Member(try cluster.consumer(topic, named: name, observer, options: options)) { batch in
            if let obstacle = await obstacleOf() { throw KafkaError(.transport, obstacle, isTransient: true) }
            await ledger.update { $0.book(batch) }
        }
    }

    @Test func `started again it goes on with its partitions, and nobody else moves`() async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic("named")
        let ledgers = [Recorder(Ledger()), Recorder(Ledger())]
        let first = try member("a", topic, ledgers[0], in: cluster)
        await ledgers[0].wait { $0.owners.count == 4 }
        let second = try member("b", topic, ledgers[1], in: cluster)
        for ledger in ledgers { await ledger.wait { $0.owners.count == 2 } }
        let own = await ledgers[0].state.owners.keys.sorted()
        let moves = await ledgers[1].state.assigned.count
        try await first.leave()

        let again = Recorder(Ledger())
        let returned = try member("a", topic, again, in: cluster)
        await again.wait { $0.owners.count == 2 }
        #expect(await again.state.owners.keys.sorted() == own)
        let producer = try cluster.producer()
        for partition: Int32 in 0..<4 { _ = try await producer.send(contentsOf: messages(topic, partition, 0..<10)) }
        for ledger in [again, ledgers[1]] { await ledger.wait { $0.count == 20 } }
        #expect(await ledgers[1].state.assigned.count == moves)
        try await returned.leave()
        try await second.leave()
    }

    @Test func `a name that another worker takes ends the first one, which is reported what to do`() async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic("fenced")
        let ledgers = [Recorder(Ledger()), Recorder(Ledger())]
        let first = try member("a", topic, ledgers[0], in: cluster)
        await ledgers[0].wait { $0.owners.count == 4 }
        let second = try member("a", topic, ledgers[1], in: cluster)
        let error = await #expect(throws: KafkaError.self) { try await first.end() }
        #expect(error?.code == .fencedInstance)
        #expect(error?.isFatal == true)
        #expect(error?.reason.contains("(kafka.member)") == true, "\(error?.reason ?? "")")
        #expect(await ledgers[0].state.lost.count == 4)
        await ledgers[1].wait { $0.owners.count == 4 }
        try await second.leave()
    }

    @Test func `a worker that cannot work leaves at once all the same, for others to take its partitions`() async throws
    {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic("away")
        let ledgers = [Recorder(Ledger()), Recorder(Ledger())]
        let isAway = Recorder(false)
        let first = try member("a", topic, ledgers[0], in: cluster) { await isAway.state ? "it is away" : nil }
        await ledgers[0].wait { $0.owners.count == 4 }
        let second = try member("b", topic, ledgers[1], in: cluster)
        for ledger in ledgers { await ledger.wait { $0.owners.count == 2 } }
        await isAway.update { $0 = true }
        let producer = try cluster.producer()
        for partition: Int32 in 0..<4 { _ = try await producer.send(contentsOf: messages(topic, partition, 0..<10)) }
        await ledgers[1].wait { $0.count == 40 }
        await isAway.update { $0 = false }
        for ledger in ledgers { await ledger.wait { $0.owners.count == 2 } }
        try await first.leave()
        try await second.leave()
    }
}
