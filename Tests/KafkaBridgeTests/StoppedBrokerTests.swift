import KafkaBridge
import OrchardServiceKit
import SandboxBroker
import TestSupport
import Testing

@Suite("One of three brokers stops", .timeLimit(.minutes(4)))
struct StoppedBrokerTests {
    @Test("its partitions' messages time out, the others' arrive, and nobody says that Kafka cannot be reached")
    func stopped() async throws {
        // In a process of its own: a stopped broker binds its port again at once, and a program that another test starts
        // meanwhile would inherit the port.
        let cluster = try BrokerProcess(topics: [BrokerTopic(name: "t", partitions: 12)], brokers: 3)
        var options = KafkaProducer.Options()
        options.deliveryTimeout = .seconds(15)
        let log = LogRecorder()
        let reports = Locked<[Bool]>([])
        let producer = try KafkaProducer(
            KafkaConfiguration(bootstrapServers: cluster.bootstrapServers, clientID: "test"), options: options,
            logger: log.logger, report: { isReady, _ in reports.withLock { $0.append(isReady) } })
        func send() async -> [Bool] {
            let messages = (0..<Int32(12)).map { KafkaMessage(topic: "t", partition: $0, key: nil, value: [1]) }
            return await producer.deliver(messages).map { if case .success = $0 { true } else { false } }
        }
        #expect(await send().allSatisfy(\.self))
        #expect(reports.withLock { $0 } == [false, true], "no broker has answered yet, then one has")
        try cluster.send(.stop(broker: 1))
        let after = await send()
        #expect(Set(after) == [true, false], "some partitions are led by others: \(after)")
        #expect(reports.withLock { $0 } == [false, true])
        #expect(
            !log.lines.contains { $0.message.contains("cannot be reached") || $0.message.contains("brokers are down") })
    }
}
