import KafkaBridge
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// `order-ledger replay`: folds the journal topic from its beginning and compares the result with the database.
enum ReplayCommand {
    static let command = Command(
        name: "replay", summary: "fold the journal topic from its beginning and compare it with the books",
        discussion: """
            Reads orchard.journal.v1 from offset 0 up to the ledger's watermark, folds it in memory with the live code, \
            then compares every row, entry, order, payment and chain head. Writes nothing. Exit status 0 when nothing \
            differs, 1 with differences, 2 when it could not be checked.
            """,
        options: [.flag("json", help: "Print the report as JSON.")],
        configuration: ConfigReader.keys { Configuration(reader: $0) },
        examples: [.init("order-ledger replay", "the strongest proof that nothing was lost or invented")]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { Configuration(reader: $0) }
        let logger = configuration.log.logger(label: "order-ledger.replay", writer: .standardError)
        return await BooksCheck(postgres: configuration.postgres, isJSON: invocation.has("json")).run { connections in
            try await Replay(
                connections: connections, inbox: LedgerSchema.inbox,
                admin: try KafkaAdmin(configuration.kafka, logger: logger),
                topic: { try KafkaReader(configuration.kafka, logger: logger) }, group: configuration.group
            ).run()
        }
    }

    /// - `postgres.*`, `kafka.bootstrap.servers`, `kafka.properties.*`, `log.*`
    /// - `kafka.group` (order-ledger): the consumer group that folds the journal
    private struct Configuration {
        let postgres: PostgresConfiguration
        let kafka: KafkaConfiguration
        let group: String
        let log: LogConfiguration

        init(reader: ConfigReader) {
            postgres = PostgresConfiguration(reader: reader, applicationName: "order-ledger replay")
            kafka = KafkaConfiguration(reader: reader, clientID: "order-ledger-replay")
            group = LedgerConfiguration.group(reader)
            log = LogConfiguration(reader: reader)
        }
    }
}
