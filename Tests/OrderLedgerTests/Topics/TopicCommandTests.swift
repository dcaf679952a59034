import OrchardServiceKit
import SandboxBroker
import TestSupport
import Testing

@testable import OrderLedger

@Suite("order-ledger topics")
struct TopicCommandTests {
    /// The exit status, and the errors that the command prints.
    private func run(_ arguments: String...) async -> (status: Int32, errors: String) {
        let errors = Locked("")
        let status = await CommandLineProgram(version: "0", root: OrderLedgerProgram.root).run(
            arguments, output: { _ in }, errors: { text in errors.withLock { $0 += text } })
        return (status, errors.withLock { $0 })
    }

    @Test(
        "names the address and no raw error when no broker answers", .timeLimit(.minutes(2)),
        arguments: ["create", "check"])
    func unreachable(_ command: String) async throws {
        let port = try FreePorts.take(1)[0]
        let answer = await run("topics", command, "--kafka-bootstrap-servers", "127.0.0.1:\(port)")
        #expect(answer.status == 2)
        #expect(
            answer.errors.contains("kafka.bootstrap.servers: no broker answers at 127.0.0.1:\(port): start Kafka, or"),
            "\(answer.errors)")
        for raw in ["KafkaError", "Local:", "_TRANSPORT"] { #expect(!answer.errors.contains(raw), "\(answer.errors)") }
    }

    @Test("makes no topics on the embedded broker, and reports why none are needed", .timeLimit(.minutes(2)))
    func embedded() async throws {
        let kafka = try TestServers.kafka()
        let answer = await run("topics", "create", "--kafka-bootstrap-servers", kafka, "--kafka-namespace", "none.")
        #expect(answer.status == 2)
        #expect(answer.errors.contains("has Orchard's topics from its start"), "\(answer.errors)")
    }
}
