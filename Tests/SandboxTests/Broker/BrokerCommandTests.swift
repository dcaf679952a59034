import SandboxBroker
import Testing

@Suite struct BrokerCommandTests {
    @Test(arguments: [
        ("down", BrokerCommand.down),
        ("up", .up),
        ("delay 250", .delay(milliseconds: 250)),
        ("fail 0 7 3", .fail(request: 0, error: 7, count: 3)),
        ("fail 8 -195 1", .fail(request: 8, error: -195, count: 1)),
        ("topic orchard.journal.v1:12", .topic(BrokerTopic(name: "orchard.journal.v1", partitions: 12))),
    ])
    func `a line is a command, and a command its line`(_ line: String, _ command: BrokerCommand) throws {
        #expect(try BrokerCommand(line) == command)
        #expect(command.description == line)
    }

    @Test(arguments: ["", "sideways", "down 1", "delay", "delay soon", "fail 0 7", "topic", "topic a", "topic a:0"])
    func `what is no command is refused`(_ line: String) {
        #expect(throws: BrokerError.self) { try BrokerCommand(line) }
    }

    @Test func `topics are listed with their partitions`() throws {
        #expect(
            try BrokerTopic.list("a:1,b.c:12") == [
                BrokerTopic(name: "a", partitions: 1), BrokerTopic(name: "b.c", partitions: 12),
            ])
        #expect(try BrokerTopic.list("").isEmpty)
    }

    @Test(arguments: ["a", "a:", ":1", "a:x", "a:-1", "a:0", "a:1:2"])
    func `a topic without a number of partitions is refused`(_ text: String) {
        #expect(throws: BrokerError.self) { try BrokerTopic.list(text) }
    }
}
