import OrchardServiceKit
import TestSupport
import Testing

@testable import KafkaBridge

@Suite("A partition of which librdkafka says nothing", .timeLimit(.minutes(4)))
struct SilentPartitionTests {
    @Test(
        "is read anew with a warning, from the second time on named in /readyz, until it comes; one with nothing new is not"
    )
    func silent() async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic()
        let silent = TopicPartition(topic, 1)
        _ = try await cluster.producer().send(contentsOf: messages(topic, 1, 0..<3))
        let ledger = Recorder(Ledger())
        let warnings = Locked<[String]>([])
        let (reports, continuation) = AsyncStream<(Bool, String)>.makeStream()
        let log = PartitionLog { line, partition in
            if line.contains("nothing comes") { warnings.withLock { $0.append(partition) } }
        }
        let consumer = try KafkaConsumer(
            cluster.configuration, group: "group-\(topic)", topics: [topic], observer: LedgerObserver(ledger: ledger),
            options: cluster.consumerOptions, logger: Logger(label: "test", level: .debug, handler: log),
            report: { continuation.yield(($0, $1)) })
        let member = Member(consumer) { batch in await ledger.update { $0.book(batch) } }
        await ledger.wait { $0.next[silent] == 3 }
        // Behind the consumer's back: it does not know why nothing comes, as with a reading that librdkafka lost.
        await consumer.handle.pause(silent)
        // An older database: reading begins again.
        await ledger.update { $0.next[silent] = 1 }
        await consumer.askAgain(silent)
        for await (isReady, reason) in reports where reason.contains("nothing comes") {
            #expect(!isReady && reason.contains("\(silent)"))
            break
        }
        #expect(warnings.withLock(\.self) == ["\(silent)", "\(silent)"])
        await consumer.handle.resume(silent)
        await ledger.wait { $0.next[silent] == 3 }
        for await (isReady, _) in reports where isReady { break }
        try await member.leave()
        #expect(await ledger.state.offsets[silent] == [0, 1, 2, 1, 2])
        #expect(warnings.withLock(\.self) == ["\(silent)", "\(silent)"])
    }
}

/// Passes each line's message and partition on.
private struct PartitionLog: LogHandler {
    let write: @Sendable (String, String) -> Void

    init(_ write: @escaping @Sendable (String, String) -> Void) { self.write = write }

    func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
        write(message, metadata["partition"] ?? "")
    }
}
