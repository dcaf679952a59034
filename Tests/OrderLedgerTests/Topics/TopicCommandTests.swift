import OrchardServiceKit
import SandboxBroker
import TestSupport
import Testing

@testable import OrderLedger

@Suite("order-ledger topics")
struct TopicCommandTests {
    @Test("names the address when no broker answers, and nothing raw", .timeLimit(.minutes(2)))
    func unreachable() async throws {
        let port = try FreePorts.take(1)[0]
        let words = ["topics", "check", "--kafka-bootstrap-servers", "127.0.0.1:\(port)"]
        let errors = Locked("")
        let status = await CommandLineProgram(version: "0", root: OrderLedgerProgram.root).run(
            words, output: { _ in }, errors: { text in errors.withLock { $0 += text } })
        let text = errors.withLock { $0 }
        #expect(status == 2)
        #expect(text.contains("kafka.bootstrap.servers: no broker answers at 127.0.0.1:\(port)"))
        #expect(!text.contains("KafkaError"))
    }
}
