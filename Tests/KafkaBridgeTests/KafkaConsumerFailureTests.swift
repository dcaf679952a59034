import KafkaBridge
import OrchardServiceKit
import TestSupport
import Testing

/// What fails stops its partition alone.
@Suite(.timeLimit(.minutes(4))) struct KafkaConsumerFailureTests {
    let cluster: TestCluster

    init() async throws { cluster = try await TestCluster.shared }

    private func fill(_ topic: String, _ partitions: Range<Int32>, _ range: Range<Int>) async throws {
        let producer = try cluster.producer()
        for partition in partitions { _ = try await producer.send(contentsOf: messages(topic, partition, range)) }
    }

    @Test func `a handler's error stops its partition only, is reported, and is tried again until it succeeds`()
        async throws
    {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<2, 0..<10)
        let bad = TopicPartition(topic, 0)
        var options = cluster.consumerOptions
        options.batchLimit = 5
        options.retries.firstPermanentPause = .milliseconds(50)
        let ledger = Recorder(Ledger())
        let isMended = Recorder(false)
        let reports = Recorder<[String]>([])
        let (text, continuation) = AsyncStream<(Bool, String)>.makeStream()
        let member = Member(
            try cluster.consumer(
                topic, LedgerObserver(ledger: ledger), options: options, report: { continuation.yield(($0, $1)) })
        ) { batch in
            if batch.topicPartition == bad, batch.nextOffset == 10, await !isMended.state { throw Refused() }
            await ledger.update { $0.book(batch) }
        }
        for await (isReady, reason) in text where reason.contains("\(bad)") {
            #expect(!isReady && reason.contains("stands still") && reason.contains("Refused"))
            await reports.update { $0.append(reason) }
            break
        }
        try await fill(topic, 1..<2, 10..<20)
        await ledger.wait { $0.next[TopicPartition(topic, 1)] == 20 }
        #expect(await ledger.state.next[bad] != 10)
        await isMended.update { $0 = true }
        await ledger.wait { $0.next[bad] == 10 }
        for await (isReady, _) in text where isReady { break }
        try await member.leave()
        #expect(await ledger.state.offsets[bad] == Array(0..<10))
        let committed = try await cluster.admin().committedOffsets(group: "group-\(topic)", of: [bad])
        #expect(committed == [bad: 10])
    }

    @Test func `an observer's error stops its partition only, until the start is known`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<2, 0..<10)
        let bad = TopicPartition(topic, 0)
        var options = cluster.consumerOptions
        options.retries.firstPermanentPause = .milliseconds(50)
        let ledger = Recorder(Ledger())
        let isMended = Recorder(false)
        let observer = RefusingObserver(refused: bad, isMended: isMended)
        let (text, continuation) = AsyncStream<(Bool, String)>.makeStream()
        let member = Member(
            try cluster.consumer(topic, observer, options: options, report: { continuation.yield(($0, $1)) })
        ) { batch in
            await ledger.update { $0.book(batch) }
        }
        for await (isReady, reason) in text where reason.contains("\(bad)") {
            #expect(!isReady && reason.contains("Refused"))
            break
        }
        await ledger.wait { $0.next[TopicPartition(topic, 1)] == 10 }
        #expect(await ledger.state.next[bad] == nil)
        await isMended.update { $0 = true }
        await ledger.wait { $0.next[bad] == 10 }
        for await (isReady, _) in text where isReady { break }
        try await member.leave()
    }

    @Test
    func `a log that has no record where a partition stands is asked about, and read from where it is said to go on`()
        async throws
    {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<1, 0..<10)
        let partition = TopicPartition(topic, 0)
        let (ledger, asked) = (Recorder(Ledger()), Recorder(0))
        let (text, continuation) = AsyncStream<(Bool, String)>.makeStream()
        let member = Member(
            try cluster.consumer(
                topic, MovingObserver(asked: asked), options: cluster.consumerOptions,
                report: { continuation.yield(($0, $1)) })
        ) { batch in
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { $0.next[partition] == 10 }
        for await (isReady, _) in text where isReady { break }
        try await member.leave()
        #expect(await ledger.state.offsets[partition] == Array(0..<10))
        #expect(await asked.state == 2)
    }

    @Test func `a member whose database is away gives its partitions up, and comes back with it`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<4, 0..<10)
        var options = cluster.groupOptions
        options.obstacleAfter = .seconds(1)
        let ledger = Recorder(Ledger())
        let isAway = Recorder(true)
        let (text, continuation) = AsyncStream<(Bool, String)>.makeStream()
        var observer = LedgerObserver(ledger: ledger)
        observer.obstacleOf = { await isAway.state ? "the database is away" : nil }
        let first = Member(
            try cluster.consumer(topic, observer, options: options, report: { continuation.yield(($0, $1)) })
        ) { batch in
            if await isAway.state { throw KafkaError(.timedOut, "no database", isTransient: true) }
            await ledger.update { $0.book(batch) }
        }
        for await (isReady, reason) in text where reason.contains("left the group") {
            #expect(!isReady && reason.contains("the database is away"))
            break
        }
        // Another member has the partitions within seconds, though the first is alive.
        let second = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger), options: options)) { batch in
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { $0.count >= 40 }
        await isAway.update { $0 = false }
        for await (isReady, _) in text where isReady { break }
        try await second.leave()
        try await fill(topic, 0..<4, 10..<20)
        await ledger.wait { $0.count >= 80 }
        try await first.leave()
        for partition in Int32(0)..<4 {
            #expect(await ledger.state.offsets[TopicPartition(topic, partition)] == Array(0..<20))
        }
    }

    @Test func `a member whose work is slow, and whose database answers, stays ready`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<1, 0..<1)
        var options = cluster.groupOptions
        options.obstacleAfter = .milliseconds(300)
        let asked = Recorder(0)
        let reports = Recorder<[Bool]>([])
        var observer = LedgerObserver(ledger: Recorder(Ledger()))
        observer.obstacleOf = {
            await asked.update { $0 += 1 }
            return nil
        }
        let mayEnd = Recorder(false)
        let (text, continuation) = AsyncStream<Bool>.makeStream()
        let member = Member(
            try cluster.consumer(topic, observer, options: options, report: { ready, _ in continuation.yield(ready) })
        ) { _ in
            await mayEnd.wait { $0 }
        }
        let listener = Task { for await isReady in text { await reports.update { $0.append(isReady) } } }
        await asked.wait { $0 >= 1 }
        // The report of the answer comes in the next turn, or never.
        try await Task.sleep(for: .seconds(1))
        #expect(await reports.state.last == true)
        await mayEnd.update { $0 = true }
        try await member.leave()
        continuation.finish()
        await listener.value
    }

    @Test func `a look-up of a start that hangs does not keep the others of the group waiting`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<4, 0..<10)
        let asked = Recorder(0)
        let options = cluster.groupOptions
        let first = Member(try cluster.consumer(topic, HangingObserver(asked: asked), options: options)) { _ in }
        await asked.wait { $0 == 4 }
        let ledger = Recorder(Ledger())
        let begin = ContinuousClock.now
        let second = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger), options: options)) { batch in
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { $0.count >= 20 }
        // Far below the five minutes that a group waits for a member that does not answer.
        #expect(ContinuousClock.now - begin < .seconds(120))
        try await first.leave()
        await ledger.wait { $0.count >= 40 }
        try await second.leave()
    }
}
