import KafkaBridge
import OrchardServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(4))) struct KafkaConsumerTests {
    let cluster: TestCluster

    init() async throws { cluster = try await TestCluster.shared }

    private func fill(_ topic: String, _ partitions: Range<Int32>, _ range: Range<Int>) async throws {
        let producer = try cluster.producer()
        for partition in partitions { _ = try await producer.send(contentsOf: messages(topic, partition, range)) }
    }

    @Test func `partitions are handled side by side, each in order and one batch at a time`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<4, 0..<500)
        let ledger = Recorder(Ledger())
        let inHand = Recorder<[TopicPartition]>([])
        var options = cluster.consumerOptions
        options.batchLimit = 100
        let member = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger), options: options)) { batch in
            #expect(await !inHand.state.contains(batch.topicPartition))
            await inHand.update { $0.append(batch.topicPartition) }
            // Goes on only when another partition's handler has been at work at the same time.
            if batch.firstOffset == 0 { await inHand.wait { $0.count >= 2 } }
            #expect(batch.records.count <= 100)
            await ledger.update { $0.book(batch) }
            if batch.nextOffset < 500 { await inHand.update { $0.removeAll { $0 == batch.topicPartition } } }
        }
        await ledger.wait { $0.count >= 2000 }
        try await member.leave()
        for partition in 0..<Int32(4) {
            #expect(await ledger.state.offsets[TopicPartition(topic, partition)] == Array(0..<500))
            #expect(await ledger.state.values[TopicPartition(topic, partition)]?.last == "v499")
        }
    }

    @Test func `what is processed is committed, and the next member goes on there`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<1, 0..<100)
        let ledger = Recorder(Ledger())
        var patient = cluster.consumerOptions
        // On a busy machine the handler's end may come late; without it nothing is committed.
        patient.handlerTimeout = .seconds(120)
        let first = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger), options: patient)) { batch in
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { $0.count >= 100 }
        try await first.leave()
        let partitions = (0..<4).map { TopicPartition(topic, $0) }
        let committed = try await cluster.admin().committedOffsets(group: "group-\(topic)", of: partitions)
        #expect(committed == [TopicPartition(topic, 0): 100])

        try await fill(topic, 0..<1, 100..<110)
        let later = Recorder(Ledger())
        let second = Member(try cluster.consumer(topic, NoOffsets())) { batch in
            await later.update { $0.book(batch) }
        }
        await later.wait { $0.count >= 10 }
        try await second.leave()
        #expect(await later.state.offsets == [TopicPartition(topic, 0): Array(100..<110)])
    }

    @Test func `the observer's offset wins over the committed one`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<1, 0..<20)
        let ledger = Recorder(Ledger())
        let first = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger))) { batch in
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { $0.count >= 20 }
        try await first.leave()

        await ledger.update { $0.next[TopicPartition(topic, 0)] = 7 }
        let second = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger))) { batch in
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { $0.count >= 33 }
        try await second.leave()
        #expect(await ledger.state.offsets[TopicPartition(topic, 0)] == Array(0..<20) + Array(7..<20))
    }

    @Test func `a partition that is idle goes back when it is reported that its start has moved`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<1, 0..<20)
        let (moved, idle) = (TopicPartition(topic, 0), TopicPartition(topic, 1))
        let ledger = Recorder(Ledger())
        let consumer = try cluster.consumer(topic, LedgerObserver(ledger: ledger))
        let member = Member(consumer) { batch in await ledger.update { $0.book(batch) } }
        await ledger.wait { $0.count >= 20 }

        await ledger.update { $0.next[moved] = 15 }
        await consumer.askAgain(moved)
        await consumer.askAgain(idle)
        await consumer.askAgain(TopicPartition("nobody's", 0))
        await ledger.wait { $0.count >= 25 }
        // Where nothing has moved nothing is read again.
        let asked = await ledger.state.assigned.count { $0 == [moved] }
        await consumer.askAgain(moved)
        await ledger.wait { $0.assigned.count { $0 == [moved] } > asked }
        try await fill(topic, 0..<2, 20..<22)
        await ledger.wait { $0.count >= 29 }
        try await member.leave()
        #expect(await ledger.state.offsets[moved] == Array(0..<20) + Array(15..<22))
        #expect(await ledger.state.offsets[idle] == [0, 1])
    }

    @Test func `a partition that is idle works again once its start is found, though it has not moved`() async throws {
        let topic = try await cluster.topic()
        let idle = TopicPartition(topic, 1)
        var options = cluster.consumerOptions
        options.retries.firstPermanentPause = .milliseconds(50)
        let isMended = Recorder(true)
        let reported = Locked((isReady: false, reason: ""))
        let consumer = try cluster.consumer(
            topic, RefusingObserver(refused: idle, isMended: isMended), options: options,
            report: { isReady, reason in reported.withLock { $0 = (isReady, reason) } })
        let member = Member(consumer) { _ in }
        try await eventually { reported.withLock { $0.isReady } }
        await isMended.update { $0 = false }
        await consumer.askAgain(idle)
        try await eventually { reported.withLock { !$0.isReady && $0.reason.contains("\(idle): stands still") } }
        await isMended.update { $0 = true }
        try await eventually { reported.withLock { $0.isReady } }
        try await member.leave()
    }

    @Test func `a second member takes its share after the first has committed its own`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<4, 0..<50)
        let ledger = Recorder(Ledger())
        let admin = try cluster.admin()
        let isJoining = Recorder(false)
        var observer = LedgerObserver(ledger: ledger, member: "first")
        observer.onRevoke = { partitions, lost in
            guard !lost, let committed = try? await admin.committedOffsets(group: "group-\(topic)", of: partitions)
            else { return }
            // The mock cluster refuses commits while it rebalances; Kafka does not.
            guard cluster.isReal else { return }
            let next = await ledger.state.next
            #expect(committed == next.filter { partitions.contains($0.key) })
        }
        let options = cluster.groupOptions
        let first = Member(try cluster.consumer(topic, observer, options: options)) { batch in
            // In hand while the other member joins: the revocation waits for it.
            await isJoining.wait { $0 }
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { !$0.assigned.isEmpty }
        let second = Member(
            try cluster.consumer(topic, LedgerObserver(ledger: ledger, member: "second"), options: options)
        ) { batch in
            await ledger.update { $0.book(batch) }
        }
        await isJoining.update { $0 = true }
        // On a slow machine the group may share the partitions out more than once before it stands still.
        await ledger.wait { $0.revoked.count >= 4 && $0.shares == [2, 2] }
        try await fill(topic, 0..<4, 50..<100)
        await ledger.wait { $0.count >= 400 }
        try await first.leave()
        try await second.leave()
        let state = await ledger.state
        for partition in 0..<Int32(4) { #expect(state.offsets[TopicPartition(topic, partition)] == Array(0..<100)) }
    }

    @Test func `a handler that takes longer than allowed is cancelled, and what it does later is not committed`()
        async throws
    {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<1, 0..<10)
        var options = cluster.consumerOptions
        options.handlerTimeout = .milliseconds(200)
        let ledger = Recorder(Ledger())
        let cancelled = Recorder(false)
        let member = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger), options: options)) { batch in
            await ledger.update { $0.book(batch) }
            await withTaskCancellationHandler {
                await cancelled.wait { $0 }
            } onCancel: {
                Task { await cancelled.update { $0 = true } }
            }
            throw CancellationError()
        }
        await ledger.wait { $0.count >= 10 }
        try await member.leave()
        #expect(await cancelled.state)
        let committed = try await cluster.admin().committedOffsets(
            group: "group-\(topic)", of: [TopicPartition(topic, 0)])
        #expect(committed.isEmpty)
    }

    @Test func `a slow partition is paused and holds up no other`() async throws {
        let topic = try await cluster.topic()
        let slow = TopicPartition(topic, 0)
        let fast = TopicPartition(topic, 1)
        try await fill(topic, 0..<2, 0..<200)
        var options = cluster.consumerOptions
        // Each of four partitions has room for about 100 of these records.
        options.bufferBytes = 4 * 100 * (64 + 4)
        options.batchLimit = 50
        let metrics = MetricsRegistry()
        let waiting = metrics.gauge(
            "kafka_consumer_waiting_records", help: "",
            labels: [("group", "group-\(topic)"), ("topic", topic), ("partition", "0")])
        let ledger = Recorder(Ledger())
        let mayGoOn = Recorder(false)
        let member = Member(
            try cluster.consumer(topic, LedgerObserver(ledger: ledger), options: options, metrics: metrics)
        ) { batch in
            if batch.topicPartition == slow { await mayGoOn.wait { $0 } }
            await ledger.update { $0.book(batch) }
        }
        try await eventually { waiting.value > 90 }
        try await fill(topic, 0..<2, 200..<3000)
        await ledger.wait { $0.next[fast] == 3000 }
        // The gauge is set once a second.
        try await Task.sleep(for: .seconds(3))
        #expect(waiting.value < 120, "no more is taken for it, though all of it is there")
        await mayGoOn.update { $0 = true }
        await ledger.wait { $0.next[slow] == 3000 }
        try await member.leave()
        #expect(await ledger.state.offsets == [slow: Array(0..<3000), fast: Array(0..<3000)])
    }

    @Test(arguments: [(Int64?.none, "_AUTO_OFFSET_RESET"), (10_000, "_AUTO_OFFSET_RESET")])
    func `an offset that is missing or gone raises an alarm and reads nothing`(
        _ start: Int64?, _ code: String
    ) async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<1, 0..<5)
        let ledger = Recorder(Ledger())
        let partition = TopicPartition(topic, 0)
        let reports = Recorder<[String]>([])
        let (text, continuation) = AsyncStream<(Bool, String)>.makeStream()
        let observer: any RebalanceObserver = start.map { FixedOffsets(offsets: [partition: $0]) } ?? NoOffsets()
        let member = Member(
            try cluster.consumer(topic, observer, report: { continuation.yield(($0, $1)) })
        ) { batch in
            await ledger.update { $0.book(batch) }
        }
        for await (isReady, reason) in text where reason.contains("\(partition)") {
            #expect(!isReady)
            #expect(reason.contains(code))
            await reports.update { $0.append(reason) }
            break
        }
        try await member.leave()
        #expect(await ledger.state.count == 0)
    }

    @Test func `cancelling stops the handlers and leaves the group`() async throws {
        let topic = try await cluster.topic()
        try await fill(topic, 0..<1, 0..<10)
        let ledger = Recorder(Ledger())
        let member = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger))) { batch in
            await ledger.update { $0.book(batch) }
            try await Task.sleep(for: .seconds(3600))
        }
        let all = Set((0..<4).map { TopicPartition(topic, $0) })
        // On a slow machine the group may share the partitions out more than once.
        await ledger.wait { $0.count >= 10 && Set($0.owners.keys) == all }
        await #expect(throws: CancellationError.self) { try await member.cancel() }
        let state = await ledger.state
        #expect(Set(state.revoked + state.lost) == all)
    }

    @Test(arguments: 0..<20)
    func `a member that leaves when its partitions begin gives them all back`(_ round: Int) async throws {
        let topic = try await cluster.topic()
        let ledger = Recorder(Ledger())
        let member = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger))) { _ in }
        let all = Set((0..<4).map { TopicPartition(topic, $0) })
        await ledger.wait { Set($0.owners.keys) == all }
        // From before the list of partitions is handed over to after it.
        try await Task.sleep(for: .microseconds(round * 20))
        try await member.leave()
        let state = await ledger.state
        #expect(Set(state.revoked + state.lost) == all)
    }

    @Test(arguments: 0..<20)
    func `closing never hangs, whatever the group is doing`(_ round: Int) async throws {
        let topic = try await cluster.topic("close")
        let ledger = Recorder(Ledger())
        let member = Member(try cluster.consumer(topic, LedgerObserver(ledger: ledger))) { _ in }
        // From before the first answer of the coordinator to after the assignment.
        try await Task.sleep(for: .milliseconds(round * 220))
        try await member.leave()
    }
}
