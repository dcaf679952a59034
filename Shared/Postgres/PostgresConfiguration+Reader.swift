import OrchardServiceKit

extension PostgresConfiguration {
    /// Reads how to reach the database.
    ///
    /// Configuration keys:
    /// - `postgres.url` (required, secret): libpq's URI or conninfo
    /// - `postgres.pool.size` (default 8)
    /// - `postgres.statement.timeout` (default 30s)
    ///
    /// - Parameter applicationName: the program's name, shown in `pg_stat_activity`.
    public init(reader: ConfigReader, applicationName: String) {
        let postgres = reader.scoped(to: "postgres")
        self.init(
            connectionString: postgres.secret("url", doc: "The database: a PostgreSQL URI or libpq conninfo.").value,
            applicationName: applicationName,
            poolSize: postgres.int("pool.size", doc: "Connections to the database.", default: 8, in: 1...200),
            statementTimeout: postgres.duration(
                "statement.timeout", doc: "The server cancels a statement that takes longer.", default: .seconds(30),
                in: .milliseconds(100)...(.seconds(3_600))))
    }
}
