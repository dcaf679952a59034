import Foundation
import SandboxBroker
import SandboxProcesses
import Testing

@Suite(.timeLimit(.minutes(4))) struct BrokerProcessTests {
    @Test func `the broker listens when it has spoken, obeys, and is gone when it is stopped`() throws {
        let broker = try BrokerProcess(topics: [BrokerTopic(name: "a", partitions: 3)])
        #expect(broker.bootstrapServers.hasPrefix("127.0.0.1:"))
        try broker.send(.topic(BrokerTopic(name: "b", partitions: 1)))
        #expect(throws: BrokerError.self) { try broker.send(.topic(BrokerTopic(name: "b", partitions: 1))) }
        broker.stop()
        #expect(kill(broker.processID, 0) == -1)
    }

    @Test func `it ends by itself when its starter is gone`() async throws {
        let child = try ChildProcess(
            ChildCommand(SandboxExecutable.find().path, ["broker", "--control"], input: .pipe, output: .pipe))
        child.closeInput()
        #expect(await child.ended() == 0)
    }
}
