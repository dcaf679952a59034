import Contracts
import OrchardPostgres
import Outbox
import TestSupport

/// A database with an inbox and an outbox, and a service that has only the rights that their grants give.
struct ServiceDatabase: Sendable {
    /// As the service's role.
    let configuration: PostgresConfiguration
    /// As superuser.
    let owner: PostgresConfiguration
    let inbox = Inbox(schema: "shop", topic: .journal, program: "shop")

    static func with(_ body: (ServiceDatabase) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            let role = "r\(database.name)"
            let names = Migrator(schema: "shop", migrations: [])
            let migrator = Migrator(
                schema: "shop",
                migrations: [
                    Migration(1, "role", sql: names.roleSQL(role)),
                    Migration(2, "inbox", sql: Inbox.migrationSQL(schema: "shop", role: role)),
                    Migration(3, "outbox", sql: Outbox.migrationSQL(schema: "shop", role: role)),
                ])
            let owner = try await PostgresConnection.connect(database.configuration)
            try await migrator.migrate(owner)
            try await owner.script("CREATE ROLE \(role)_login LOGIN IN ROLE \(role)")
            try await body(
                ServiceDatabase(
                    configuration: database.configuration(as: "\(role)_login"), owner: database.configuration))
            try await owner.script(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid();
                DROP OWNED BY \(role); DROP ROLE \(role)_login, \(role)
                """)
        }
    }

    func connect() async throws -> PostgresConnection { try await PostgresConnection.connect(configuration) }
}
