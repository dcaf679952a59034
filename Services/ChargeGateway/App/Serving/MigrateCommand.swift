import Postgres
import ServiceKit

/// `charge-gateway migrate`: brings the schema to this binary's state.
enum MigrateCommand {
    /// What the command is told: the database, reached as the owner of the schema.
    private struct Configuration {
        let postgres: PostgresConfiguration
        let log: LogConfiguration

        init(reader: ConfigReader) {
            var postgres = PostgresConfiguration(reader: reader, applicationName: "charge-gateway migrate")
            // A migration may take as long as it must.
            postgres.statementTimeout = nil
            self.postgres = postgres
            log = LogConfiguration(reader: reader)
        }
    }

    static let command = Command(
        name: "migrate", summary: "brings the database schema to this version",
        discussion: """
            Connects as the owner of the schema `\(GatewaySchema.name)` and runs what is missing; a second run changes
            nothing. The service itself connects as a member of the role \(GatewaySchema.serviceRole), which this
            command makes:  GRANT \(GatewaySchema.serviceRole) TO your_login;
            """,
        configuration: ConfigReader.keys { Configuration(reader: $0) },
        examples: [.init("POSTGRES_URL=postgresql://owner@db/orchard charge-gateway migrate", "Create or upgrade")]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { Configuration(reader: $0) }
        let logger = configuration.log.logger(label: "charge-gateway")
        let connection = try await PostgresConnection.connect(configuration.postgres)
        let titles = try await GatewaySchema.migrator.migrate(connection)
        await connection.close()
        for title in titles { logger.notice("migrated: \(title)") }
        if titles.isEmpty { logger.notice("the schema is up to date") }
        return 0
    }
}
