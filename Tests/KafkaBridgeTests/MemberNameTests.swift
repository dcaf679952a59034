import OrchardServiceKit
import SandboxBroker
import Testing

@testable import KafkaBridge

/// A worker's own name, as far as the embedded broker, which knows no such names, can show it.
@Suite(.timeLimit(.minutes(3))) struct MemberNameTests {
    @Test(arguments: [
        ("charge-gateway-0", true), ("A_z0.9", true), (String(repeating: "n", count: 64), true),
        (String(repeating: "n", count: 65), false), ("a b", false), ("a/b", false),
    ])
    func `is up to 64 letters, digits, dots and dashes`(_ name: String, _ isGood: Bool) throws {
        let sources = ConfigSources(environment: ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "KAFKA_MEMBER": name])
        if isGood {
            let (read, _) = try ConfigReader.read(sources) { KafkaConfiguration(reader: $0, clientID: "t") }
            #expect(read.memberName == name)
        } else {
            #expect(throws: ConfigurationError.self) {
                try ConfigReader.read(sources) { KafkaConfiguration(reader: $0, clientID: "t") }
            }
            let configuration = KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "t", memberName: name)
            #expect(throws: KafkaError(.invalidConfiguration, "")) {
                try KafkaReader(configuration, logger: testLogger)
            }
        }
    }

    @Test func `is not empty`() {
        #expect(MemberName.problem("") != nil)
    }

    @Test func `is none unless it is set`() throws {
        let sources = ConfigSources(environment: ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1"])
        let (read, _) = try ConfigReader.read(sources) { KafkaConfiguration(reader: $0, clientID: "t") }
        #expect(read.memberName == nil)
        #expect(KafkaConsumer.Options().settings(group: "g", member: nil)["group.instance.id"] == nil)
    }

    @Test func `a killed member is missed soon: heartbeats each second, the least session that brokers allow`() {
        let settings = KafkaConsumer.Options().settings(group: "g", member: "a")
        #expect(settings["group.instance.id"] == "a")
        #expect(settings["heartbeat.interval.ms"] == "1000")
        #expect(settings["session.timeout.ms"] == "6000")
    }

    @Test func `a member whose name another one has taken gives its partitions back, and ends with what to do`()
        async throws
    {
        let broker = try BrokerProcess()
        let cluster = TestCluster(broker)
        let topic = try await cluster.topic("fenced")
        let ledger = Recorder(Ledger())
        let member = Member(try cluster.consumer(topic, named: "a", LedgerObserver(ledger: ledger))) { _ in }
        await ledger.wait { $0.owners.count == 4 }
        // A heartbeat is answered with FENCED_INSTANCE_ID.
        try broker.send(.fail(request: 12, error: 82, count: 1))
        let error = await #expect(throws: KafkaError.self) { try await member.end() }
        #expect(error?.code == .fencedInstance && error?.isFatal == true)
        #expect(error?.reason.contains("as a,") == true && error?.reason.contains("(kafka.member)") == true)
        #expect(await ledger.state.lost.count == 4)
    }

    @Test func `a broker that knows no names takes its worker as any other`() async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic("member")
        let ledger = Recorder(Ledger())
        let member = Member(try cluster.consumer(topic, named: "a", LedgerObserver(ledger: ledger))) { batch in
            await ledger.update { $0.book(batch) }
        }
        _ = try await cluster.producer().send(contentsOf: messages(topic, 0..<10))
        await ledger.wait { $0.count == 10 }
        try await member.leave()
    }
}
