import KafkaBridge
import OrchardServiceKit
import SandboxBroker
import Testing

/// Each test maltreats a broker of its own.
@Suite(.timeLimit(.minutes(4))) struct OutageTests {
    let broker: BrokerProcess
    let cluster: TestCluster

    init() throws {
        broker = try BrokerProcess(topics: [BrokerTopic(name: "t", partitions: 2)])
        cluster = TestCluster(broker)
    }

    @Test func `a frozen broker ends in a typed error that may be tried again, and then the same producer goes on`()
        async throws
    {
        var options = KafkaProducer.Options()
        options.deliveryTimeout = .seconds(15)
        let (reports, continuation) = AsyncStream<Bool>.makeStream()
        let producer = try KafkaProducer(
            cluster.configuration, options: options, logger: testLogger,
            report: { isReady, _ in continuation.yield(isReady) })
        _ = try await producer.send(messages("t", 0..<1)[0])
        broker.freeze()
        do throws(KafkaError) {
            _ = try await producer.send(messages("t", 1..<2)[0])
            Issue.record("a frozen broker acknowledged")
        } catch {
            #expect(error.code == .deliveryTimedOut)
            #expect(error.isTransient && !error.isFatal)
        }
        broker.thaw()
        var seen: [Bool] = []
        for await isReady in reports {
            if seen.last != isReady { seen.append(isReady) }
            if seen.count == 4 { break }
        }
        #expect(seen == [false, true, false, true])
        _ = try await producer.send(messages("t", 2..<3)[0])
    }

    @Test func `a consumer whose broker is slow to answer waits for its share as before, and tells no news`()
        async throws
    {
        broker.freeze()
        let (reports, continuation) = AsyncStream<(Bool, String)>.makeStream()
        let member = Member(
            try cluster.consumer(
                "t", LedgerObserver(ledger: Recorder(Ledger())), report: { continuation.yield(($0, $1)) })
        ) { _ in }
        var reasons: [String] = []
        for await (isReady, reason) in reports {
            reasons.append(reason)
            broker.thaw()
            if isReady { break }
        }
        #expect(reasons == [KafkaConsumer.firstReason, "reads its partitions"])
        try await member.leave()
    }

    @Test func `what is sent while the broker is away arrives when it is back, in order`() async throws {
        let producer = try cluster.producer { $0.deliveryTimeout = nil }
        _ = try await producer.send(contentsOf: messages("t", 0..<10))
        broker.freeze()
        async let deliveries = producer.send(contentsOf: messages("t", 10..<100))
        async let later = producer.send(contentsOf: messages("t", 100..<110))
        broker.thaw()
        // The mock cluster keeps what an idempotent producer repeats, so only a real broker gives each offset once.
        let offsets = try await deliveries.map(\.offset)
        let laterOffsets = try await later.map(\.offset)
        #expect(offsets.count == 90 && laterOffsets.count == 10)
        #expect(offsets == offsets.sorted() && laterOffsets == laterOffsets.sorted())
    }

    @Test(arguments: [true, false])
    func `a sender that waits for ever is released when it gives up, or when the producer is stopped at once`(
        _ isStopped: Bool
    ) async throws {
        let producer = try KafkaProducer(cluster.configuration, options: .keepingOrder, logger: testLogger)
        #expect(producer.keepsOrder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await producer.run() }
            _ = try await producer.send(messages("t", 0..<1)[0])
            broker.freeze()
            async let results = producer.deliver(messages("t", 1..<20))
            try await Task.sleep(for: .milliseconds(300))
            if isStopped {
                group.cancelAll()
            } else {
                // Again and again: the messages may not have been handed over yet.
                group.addTask {
                    while true {
                        await producer.giveUp()
                        try await Task.sleep(for: .milliseconds(50))
                    }
                }
            }
            for result in await results { #expect(throws: KafkaError.self) { try result.get() } }
            group.cancelAll()
        }
        broker.thaw()
    }

    @Test(arguments: [7, 19, 20] as [Int32])
    func `an answer that asks for another try is tried again unseen`(_ error: Int32) async throws {
        let producer = try cluster.producer()
        _ = try await producer.send(messages("t", 0..<1)[0])
        try broker.send(.fail(request: 0, error: error, count: 3))
        let deliveries = try await producer.send(contentsOf: messages("t", 1..<20))
        #expect(deliveries.map(\.offset) == deliveries.map(\.offset).sorted())
        #expect(deliveries.count == 19)
    }

    @Test func `a message that is too large for the topic is refused for good`() async throws {
        let producer = try cluster.producer()
        try broker.send(.fail(request: 0, error: 10, count: 1))
        do throws(KafkaError) {
            _ = try await producer.send(messages("t", 0..<1)[0])
            Issue.record("a message was acknowledged that is too large")
        } catch {
            #expect(error.code == .messageTooLarge)
            #expect(!error.isTransient)
        }
    }

    @Test func `clients that start before the broker wait for it`() async throws {
        try broker.send(.down)
        let producer = try cluster.producer { $0.deliveryTimeout = nil }
        let ledger = Recorder(Ledger())
        let member = Member(try cluster.consumer("t", LedgerObserver(ledger: ledger))) { batch in
            await ledger.update { $0.book(batch) }
        }
        async let delivery = producer.send(messages("t", 0..<1)[0])
        try broker.send(.up)
        #expect(try await delivery.offset == 0)
        await ledger.wait { $0.count >= 1 }
        try await member.leave()
    }

    @Test func `a member goes on after an outage and misses nothing`() async throws {
        let producer = try cluster.producer { $0.deliveryTimeout = nil }
        let ledger = Recorder(Ledger())
        let member = Member(try cluster.consumer("t", LedgerObserver(ledger: ledger))) { batch in
            await ledger.update { $0.book(batch) }
        }
        _ = try await producer.send(contentsOf: messages("t", 0..<10))
        await ledger.wait { $0.count >= 10 }
        try broker.send(.down)
        async let deliveries = producer.send(contentsOf: messages("t", 10..<20))
        try broker.send(.up)
        #expect(try await deliveries.count == 10)
        await ledger.wait { ($0.next[TopicPartition("t", 0)] ?? 0) >= 20 }
        try await member.leave()
        #expect(Set(await ledger.state.offsets[TopicPartition("t", 0)] ?? []) == Set(0..<20))
    }

    @Test func `a member leaves a frozen broker in bounded time`() async throws {
        var options = cluster.consumerOptions
        options.handlerTimeout = .seconds(1)
        let ledger = Recorder(Ledger())
        let member = Member(
            try cluster.consumer("t", LedgerObserver(ledger: ledger), options: options)
        ) { batch in
            await ledger.update { $0.book(batch) }
        }
        await ledger.wait { !$0.assigned.isEmpty }
        broker.freeze()
        try await member.leave()
        broker.thaw()
    }

    @Test func `a frozen broker holds nobody who asks for the ends of a log`() async throws {
        let patient = try cluster.admin()
        #expect(try await patient.watermarks(TopicPartition("t", 0)) == Watermarks(low: 0, high: 0))
        let hasty = try KafkaAdmin(cluster.configuration, timeout: .seconds(2), logger: testLogger)
        broker.freeze()
        let start = ContinuousClock.now
        await #expect(throws: KafkaError.self) { try await hasty.watermarks(TopicPartition("t", 0)) }
        #expect(ContinuousClock.now - start < .seconds(60))
        broker.thaw()
    }

    @Test(arguments: [3, 5, 6] as [Int32])
    func `the ends of a log whose leader moves are asked for again`(_ error: Int32) async throws {
        let admin = try KafkaAdmin(cluster.configuration, timeout: .seconds(10), logger: testLogger)
        let partition = TopicPartition("t", 0)
        #expect(try await admin.watermarks(partition) == Watermarks(low: 0, high: 0))
        try broker.send(.fail(request: 2, error: error, count: 4))
        #expect(try await admin.watermarks(partition) == Watermarks(low: 0, high: 0))
    }

    @Test func `a client that nobody asks anything still tells that its broker is away`() async throws {
        try broker.send(.down)
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let logger = Logger(label: "idle", level: .debug, handler: LineLog { continuation.yield($0) })
        let admin = try KafkaAdmin(cluster.configuration, logger: logger)
        for await line in stream where line.contains("Connect") || line.contains("refused") { break }
        withExtendedLifetime(admin) {}
    }

    @Test func `closing a producer waits for what is in flight, then refuses`() async throws {
        let producer = try cluster.producer()
        let shutdown = GracefulShutdown()
        async let running: Void = GracefulShutdown.$current.withValue(shutdown) { try await producer.run() }
        let deliveries = try await producer.send(contentsOf: messages("t", 0..<500))
        shutdown.begin()
        try await running
        #expect(deliveries.count == 500)
        await #expect(throws: KafkaError(.closed, "")) { try await producer.send(messages("t", 0..<1)[0]) }
    }
}
