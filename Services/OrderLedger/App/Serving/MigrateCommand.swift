import OrchardPostgres
import OrchardServiceKit

/// `order-ledger migrate`: brings the schema to this binary's version, as the schema's owner.
enum MigrateCommand {
    static let command = Command(
        name: "migrate", summary: "bring the database schema to this version, as its owner",
        discussion: """
            Connects as the owner of schema ledger and grants the role \(LedgerSchema.serviceRole) what the service \
            needs: facts, entries and faults it may read and insert, no more. The service itself connects as a member of \
            that role.
            """,
        configuration: ConfigReader.keys { configuration($0) },
        examples: [.init("POSTGRES_URL=postgresql://owner@db/orchard order-ledger migrate", "before each upgrade")]
    ) { invocation in
        var (postgres, _) = try invocation.configuration { configuration($0) }
        postgres.statementTimeout = nil
        let connection = try await PostgresConnection.connect(postgres)
        let titles = try await LedgerSchema.migrator.migrate(connection)
        await connection.close()
        for title in titles { print("ran \(title)") }
        if titles.isEmpty { print("the schema is up to date") }
        return 0
    }

    private static func configuration(_ reader: ConfigReader) -> PostgresConfiguration {
        PostgresConfiguration(reader: reader, applicationName: "order-ledger migrate")
    }
}
