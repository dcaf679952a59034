import OrchardPostgres

/// Nothing of a partition is processed while its database may have lost what was committed: no commands, timers,
/// answers or notifications.
extension Inbox {
    /// Reads the watermarks of partitions together with the server's identity, each for ``check(_:_:)``.
    ///
    /// - Parameter lock: how the rows are locked, if at all.
    public func fence(_ partitions: [Int32], _ lock: String = "") -> PostgresStatement {
        PostgresStatement(
            "\(Self.columns(schema)) WHERE topic = $1 AND partition = ANY ($2) \(lock)", [topic, partitions])
    }

    /// Reads the partition's watermark together with the server's identity, for ``check(_:_:)``.
    public func fence(_ partition: Int32) -> PostgresStatement { fence([partition]) }

    private static func columns(_ schema: String) -> String {
        """
        SELECT partition, next_offset, mark, refusal, system_identifier, timeline AS written_timeline,
            objects AS written_objects, \(DatabaseServer.columns(of: schema))
        FROM \(schema).inbox_watermarks
        """
    }

    /// - Throws: `InboxError` when nothing of the partition may be processed on this database.
    @discardableResult
    public func check(_ fence: PostgresResult, _ partition: Int32) throws -> PostgresRow {
        try check(fence.rows.first, partition)
    }

    /// - Parameter row: the partition's row of a fence; nil when there is none.
    /// - Throws: `InboxError` when nothing of the partition may be processed on this database.
    @discardableResult
    public func check(_ row: PostgresRow?, _ partition: Int32) throws -> PostgresRow {
        guard let row else {
            throw error(.noWatermark, "the partition has no watermark: it was not started", partition)
        }
        if let refusal = try row.optionalString("refusal") { throw error(.refused, refusal, partition) }
        guard try row.int64("identifier") == row.int64("system_identifier") else {
            throw error(
                .databaseChanged,
                "the watermark was written by another PostgreSQL: a backup was restored, and commits may be missing. Run "
                    + "`\(recoverCommand)`", partition)
        }
        guard try row.string("objects") == row.string("written_objects") else {
            throw error(
                .databaseChanged,
                "the watermark was written to another table: a dump was restored, and commits may be missing. Run "
                    + "`\(recoverCommand)`", partition)
        }
        guard try row.string("timeline") == row.string("written_timeline") else {
            throw error(
                .promoted,
                "a standby was promoted, and its last commits may be missing: the partition is brought up to the "
                    + "log", partition)
        }
        return row
    }

    /// A subquery for the partitions that may be processed.
    public var steppable: String {
        """
        SELECT w.partition FROM \(schema).inbox_watermarks AS w, (SELECT \(DatabaseServer.columns(of: schema))) AS server
        WHERE w.topic = '\(topic)' AND w.refusal IS NULL AND w.system_identifier = server.identifier
            AND w.timeline = server.timeline AND w.objects = server.objects
        """
    }

    /// Records, for all instances, that the partition stops until `recover` was run. Does nothing when a standby was
    /// promoted or the partition was recovered after that decision: then the check was about another server than the
    /// one that would be refused.
    ///
    /// - Parameters:
    ///   - server: the server that the decision is about.
    ///   - written: the server that its watermark named.
    /// - Returns: false when something has changed, and the partition must be checked again.
    func refuse(
        _ partition: Int32, _ reason: String, seen server: DatabaseServer, written: DatabaseServer,
        on connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE \(schema).inbox_watermarks AS w SET refusal = coalesce(refusal, $3)
            FROM (SELECT \(DatabaseServer.columns(of: schema))) AS server
            WHERE w.topic = $1 AND w.partition = $2
                AND (server.identifier, server.timeline, server.objects) = ($4, $5, $6)
                AND (w.system_identifier, w.timeline, w.objects) = ($7, $8, $9)
            """,
            [
                topic, partition, reason, server.identifier, server.timeline, server.objects, written.identifier,
                written.timeline, written.objects,
            ]) == 1
    }
}
