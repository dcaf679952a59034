import Foundation
import OrchardServiceKit
import SandboxBroker

/// `sandbox broker`: an embedded broker as a separate process.
enum BrokerProgram {
    static let command = Command(
        name: "broker", summary: "run an embedded Kafka broker",
        discussion: """
            Prints `host:port` on a line of standard output and runs until SIGTERM. Everything lives in memory, 5 MiB a
            partition at most. A topic that is not named here is made with four partitions when it is first written to.
            """,
        options: [
            .value(
                "topics", "NAME:PARTITIONS,…", help: "Topics to create; Orchard's with four partitions each without it."
            ),
            .value("brokers", "N", help: "How many share the partitions, default 1, at most 9."),
            .flag(
                "control",
                help: "Run one command for each line of standard input (down, up, stop N, delay MS, "
                    + "fail API ERROR COUNT, topic NAME:PARTITIONS), answer each; end with the input."),
        ],
        examples: [.init("sandbox broker --topics orchard.charges.v1:4,orchard.journal.v1:4", "two topics")],
        body: run)

    private static func run(_ invocation: Invocation) async throws -> Int32 {
        let topics: [BrokerTopic]
        do { topics = try invocation[option: "topics"].map(BrokerTopic.list) ?? BrokerTopic.ofOrchard } catch {
            throw UsageError(error.reason)
        }
        guard let brokers = Int32(invocation[option: "brokers"] ?? "1"), (1...9).contains(brokers) else {
            throw UsageError("--brokers is from 1 to 9")
        }
        let broker = try EmbeddedBroker(topics: topics, brokers: brokers)
        FileHandle.standardOutput.write(Data("\(broker.bootstrapServers)\n".utf8))
        let (ended, continuation) = AsyncStream<Never>.makeStream()
        if invocation.has("control") {
            // Reading blocks, so it needs its own thread.
            Thread.detachNewThread {
                obey(broker)
                continuation.finish()
            }
        }
        for await _ in ended {}
        return 0
    }

    /// Answers each line, so that the sender knows when the command is in effect.
    private static func obey(_ broker: EmbeddedBroker) {
        while let line = readLine() {
            let answer: String
            do throws(BrokerError) {
                try broker.perform(BrokerCommand(line))
                answer = "ok"
            } catch {
                answer = "refused: \(error.reason)"
            }
            FileHandle.standardOutput.write(Data("\(answer)\n".utf8))
        }
    }
}
