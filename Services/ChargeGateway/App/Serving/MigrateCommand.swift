import OrchardPostgres
import OrchardServiceKit

/// `charge-gateway migrate`: brings the schema to this binary's state.
enum MigrateCommand {
    static let command = Command(
        name: "migrate", summary: "bring the database schema to this version, as its owner",
        discussion: """
            Connects as the owner of the schema `\(GatewaySchema.name)` and runs what is missing; a second run changes
            nothing. The service itself connects as a member of the role \(GatewaySchema.serviceRole), which this
            command makes:  GRANT \(GatewaySchema.serviceRole) TO your_login;
            """,
        configuration: ConfigReader.keys { configuration($0) },
        examples: [.init("POSTGRES_URL=postgresql://owner@db/orchard charge-gateway migrate", "Create or upgrade")]
    ) { invocation in
        var (postgres, _) = try invocation.configuration { configuration($0) }
        // A migration may take as long as it must.
        postgres.statementTimeout = nil
        let connection = try await PostgresConnection.connect(postgres)
        let titles = try await GatewaySchema.migrator.migrate(connection)
        await connection.close()
        for title in titles { print("ran \(title)") }
        if titles.isEmpty { print("the schema is up to date") }
        return 0
    }

    private static func configuration(_ reader: ConfigReader) -> PostgresConfiguration {
        PostgresConfiguration(reader: reader, applicationName: "charge-gateway migrate")
    }
}
