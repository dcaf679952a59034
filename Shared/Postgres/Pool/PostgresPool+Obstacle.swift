extension PostgresPool {
    /// What keeps all work from being written: that the server does not answer, or takes no writes. nil when nothing does.
    ///
    /// Asked on a connection of its own, so that a pool whose connections are all lent is not taken for a server that is
    /// away.
    public func obstacle() async -> String? {
        do throws(PostgresError) {
            let connection = try await PostgresConnection.connect(configuration)
            let rows = try await connection.query(
                "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS is_read_only"
            )
            await connection.close()
            return try rows.first?.bool("is_read_only") == true ? "the database takes no writes" : nil
        } catch {
            return "the database: \(error.reason)"
        }
    }
}
