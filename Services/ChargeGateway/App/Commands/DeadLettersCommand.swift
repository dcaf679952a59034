import Contracts
import KafkaBridge
import KeyFiles
import OrchardServiceKit
import Outbox

/// `charge-gateway dlq`: commands that were set aside.
enum DeadLettersCommand {
    static let command = DeadLetterCommand.dlq("charge-gateway", of: .charges, replay: replay)

    private static let replay = Command(
        name: "replay", summary: "take records again that were set aside",
        discussion: """
            Reads each record at its place in \(Topic.charges.name) and takes it by the same steps as the first time, after
            its cause was mended: a ticket key or a route put back, a newer version. What was told as declined stays
            declined, and what took effect does not take effect twice. A charge whose ticket has expired is declined; below
            the mark of a recovery it becomes unknown, because a lost database may have sent it, and holds its order until
            a query or a person decides. Kafka keeps commands for 7 days; a place that is gone is said. The running service
            sends what is due. Exit status 1 when a record could not be taken.
            """,
        arguments: [.init("PLACE", help: "Where the record is: P3@41.", isRequired: false, isRepeatable: true)],
        options: [.flag("all", help: "Every record among the dead letters.")],
        configuration: ConfigReader.keys { Configuration(reader: $0) },
        examples: [
            .init("charge-gateway dlq replay P3@41 --config charge-gateway.json", "one record"),
            .init("charge-gateway dlq replay --all --config charge-gateway.json", "after merchants.json was mended"),
        ]
    ) { invocation in
        try secureProcess()
        let choice = try DeadLetterCommand.Choice(invocation)
        let (configuration, _) = try invocation.configuration { Configuration(reader: $0) }
        let letters = try DeadLetterTopic(of: .charges, configuration.kafka)
        let places = try await choice.places(among: letters)
        return try await configuration.withCommands { processor in
            var status: Int32 = 0
            for place in places {
                let (text, isDone) = try await result(letters.original(place), processor)
                print("\(place)  \(text)")
                if !isDone { status = 1 }
            }
            if places.isEmpty { print("nothing was set aside") }
            return status
        }
    }

    private static func result(
        _ original: DeadLetterTopic.Original, _ processor: CommandProcessor
    ) async throws -> (text: String, isDone: Bool) {
        guard case .there(let record) = original else { return (original.text, false) }
        do {
            switch try await processor.replay(record) {
            case .processed(let facts): return ("taken: \(facts.joined(separator: ", "))", true)
            case .known(let phase): return ("known, nothing changes: \(phase)", true)
            case .setAside(let reason): return ("still set aside: \(reason)", false)
            }
        } catch let error as ReplayError {
            return ("not taken: \(error)", false)
        }
    }

    /// Configuration keys: `merchants`, `ticket.keys`, `kafka.…`, `postgres.…`, `acquirer.tolerance`, `log.…`, as for `serve`.
    private struct Configuration: Sendable {
        let store: ChargeStoreConfiguration
        let kafka: KafkaConfiguration
        let merchantsFile: String
        let ticketKeysFile: String

        init(reader: ConfigReader) {
            store = ChargeStoreConfiguration(reader: reader)
            kafka = KafkaConfiguration(reader: reader, clientID: "charge-gateway")
            merchantsFile = GatewayConfiguration.merchantsFile(reader)
            ticketKeysFile = GatewayConfiguration.ticketKeysFile(reader)
        }

        func withCommands<Value: Sendable>(
            _ body: @Sendable (CommandProcessor) async throws -> Value
        ) async throws -> Value {
            let keys = try KeySetFile(path: ticketKeysFile, setting: "ticket.keys", for: .verifying)
            let registry = try MerchantsFile(path: merchantsFile).registry
            return try await store.withTransactions { transactions in
                try await body(
                    CommandProcessor(
                        transactions: transactions, inbox: GatewayService.inbox, ticketKeys: keys,
                        merchants: { registry },
                        telemetry: transactions.telemetry,
                        logger: store.log.logger(label: "charge-gateway", writer: .standardError)))
            }
        }
    }
}
