import Foundation
import KafkaBridge
import OrchardServiceKit

/// `order-ledger topics`: makes Orchard's topics and reports how they differ from what they must be.
enum TopicCommand {
    static let command = Command(
        name: "topics", summary: "create or check Orchard's topics in Kafka", subcommands: [create, check])

    private static let keys = ConfigReader.keys { TopicConfiguration(reader: $0) }

    private static let create = Command(
        name: "create", summary: "create the topics that are missing, then check all",
        discussion: "Topics that exist are left as they are. Exit status 1 when one is not as it must be.",
        configuration: keys,
        examples: [
            .init(
                "order-ledger topics create --kafka-bootstrap-servers kafka-1:9092 --kafka-partitions 12",
                "first set-up")
        ]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { TopicConfiguration(reader: $0) }
        return try await asking(configuration) { admin in
            for name in try await configuration.check.create(on: admin) { print("created \(name)") }
            return report(try await configuration.check.problems(on: admin))
        }
    }

    private static let check = Command(
        name: "check", summary: "report how the topics differ from what they must be",
        discussion: "Exit status 0 when every topic has its partitions and settings, 1 otherwise.",
        configuration: keys,
        examples: [.init("order-ledger topics check --kafka-bootstrap-servers kafka-1:9092", "before an upgrade")]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { TopicConfiguration(reader: $0) }
        return try await asking(configuration) { report(try await configuration.check.problems(on: $0)) }
    }

    /// - Throws: ``ConfigurationError`` with the address when no broker answers there, or the broker cannot do this.
    private static func asking(
        _ configuration: TopicConfiguration, _ body: (KafkaAdmin) async throws -> Int32
    ) async throws -> Int32 {
        let admin = try KafkaAdmin(configuration.kafka, logger: Logger(label: "order-ledger.topics", level: .critical))
        do {
            return try await body(admin)
        } catch let error as KafkaError where error.saysUnreachable {
            throw problem(
                "no broker answers at \(configuration.kafka.bootstrapServers): start Kafka, or correct the address, its "
                    + "port or the TLS settings (kafka.properties.*)")
        } catch let error as KafkaError where error.code == .unsupported {
            throw problem(
                "topics cannot be made here: \(error.reason). This broker has Orchard's topics from its start: do not "
                    + "run this command")
        }
    }

    private static func problem(_ reason: String) -> ConfigurationError {
        ConfigurationError(problems: [.init(key: "kafka.bootstrap.servers", reason: reason)])
    }

    private static func report(_ problems: [TopicProblem]) -> Int32 {
        for problem in problems { print(problem) }
        if problems.isEmpty { print("all topics are as they must be") }
        return problems.isEmpty ? 0 : 1
    }
}
