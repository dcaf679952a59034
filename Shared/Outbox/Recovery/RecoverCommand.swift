import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// The command `recover`. It is the same in every service, but for what it reads back from the journal.
public enum RecoverCommand {
    /// - Parameters:
    ///   - program: the program's name, as in `order-ledger recover`.
    ///   - words: how the help names the service, and what it says about its recovery.
    ///   - migrator: knows whether the database has the schema of this version.
    ///   - group: the service's consumer group.
    ///   - recovery: brings the service's partitions up to the log.
    public static func recover(
        _ program: String, _ text: Texts, _ migrator: Migrator, group: @escaping @Sendable (ConfigReader) -> String,
        _ recovery: @escaping @Sendable (Parts) throws -> PartitionRecovery
    ) -> Command {
        let configure: @Sendable (ConfigReader) -> Configuration = {
            Configuration(reader: $0, program: program, group: group($0))
        }
        return Command(
            name: "recover", summary: "go on with a database that was restored from a backup",
            discussion: """
                Lists what each partition needs; changes nothing without --restored. With it, \(text.does). A promoted \
                standby needs no command: serve does the same by itself. Exit status 0 when every partition can go on, 1 \
                when one must be recovered.
                """,
            options: [
                .flag(
                    "restored",
                    help: "This database was restored from a backup, or moved, and \(text.service) goes on with it.")
            ],
            configuration: ConfigReader.keys(of: configure),
            examples: [
                .init("\(program) recover --config \(program).json", "what each partition needs"),
                .init("\(program) recover --config \(program).json --restored", "and do it"),
            ]
        ) { invocation in
            let (configuration, _) = try invocation.configuration(configure)
            let connection = try await PostgresConnection.connect(configuration.postgres)
            try await migrator.check(connection)
            await connection.close()
            let logger = configuration.log.logger(label: "\(program).recover", writer: .standardError)
            let metrics = MetricsRegistry()
            let parts = Parts(
                database: PostgresPool(
                    configuration.postgres, logger: logger, metrics: metrics, readiness: Readiness(logger: logger)),
                kafka: configuration.kafka, group: configuration.group, logger: logger, metrics: metrics)
            return try await RecoveryRun(try recovery(parts), partitions: configuration.partitions)
                .run(isRestored: invocation.has("restored")) { print($0) }
        }
    }

    /// The parts of the help text that differ by service.
    public struct Texts: Sendable {
        /// For example "the ledger".
        let service: String
        /// A sentence without its full stop.
        let does: String

        public init(service: String, does: String) {
            self.service = service
            self.does = does
        }
    }

    /// The parts from which a service builds its ``PartitionRecovery``.
    public struct Parts: Sendable {
        public let database: PostgresPool
        public let kafka: KafkaConfiguration
        public let group: String
        public let logger: Logger
        public let metrics: MetricsRegistry
    }

    private struct Configuration {
        let postgres: PostgresConfiguration
        let kafka: KafkaConfiguration
        let partitions: Int32
        let group: String
        let log: LogConfiguration

        init(reader: ConfigReader, program: String, group: String) {
            postgres = PostgresConfiguration(reader: reader, applicationName: "\(program) recover")
            kafka = KafkaConfiguration(reader: reader, clientID: "\(program)-recover")
            partitions = KafkaConfiguration.partitions(reader: reader)
            self.group = group
            log = LogConfiguration(reader: reader)
        }
    }
}
