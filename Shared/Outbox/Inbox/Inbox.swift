import Contracts
import OrchardPostgres
import OrchardServiceKit

/// The watermarks of a service on one topic: offset and effect are written in one transaction, so that each record
/// takes effect exactly once however often it is delivered.
public struct Inbox: Hashable, Sendable {
    /// The configuration key, in every service, that lets a new database begin where the log does.
    public static let acceptLogStartKey = "inbox.accept-log-start"

    /// The service's schema.
    public let schema: String
    /// The topic's name.
    public let topic: String

    public init(schema: String, topic: Topic) {
        self.schema = schema
        self.topic = topic.name
    }

    /// Locks the partition's watermark for the caller's transaction.
    ///
    /// - Returns: the first offset that is not in the database; skip records below it.
    /// - Throws: `InboxError` when the partition was never started, or the server is no longer the one that wrote the
    ///   watermark; `PostgresError`.
    public func lock(_ partition: Int32, on connection: PostgresConnection) async throws -> Int64 {
        let rows = try await connection.query(
            """
            SELECT next_offset, system_identifier, timeline AS written_timeline, \(DatabaseServer.columns)
            FROM \(schema).inbox_watermarks WHERE topic = $1 AND partition = $2 FOR UPDATE
            """, [topic, partition])
        guard let row = rows.first else {
            throw error(.noWatermark, "the partition has no watermark: it was not started", partition)
        }
        guard try row.int64("identifier") == row.int64("system_identifier"),
            try row.string("timeline") == row.string("written_timeline")
        else {
            throw error(
                .databaseChanged,
                "the database server changed while the service ran: a standby was promoted or a backup restored, and "
                    + "commits may be missing. Run `recover`", partition)
        }
        return try row.int64("next_offset")
    }

    /// Moves the watermark in the caller's transaction.
    ///
    /// - Parameters:
    ///   - from: what ``lock(_:on:)`` returned.
    ///   - next: the first offset that is not in the database now.
    ///   - count: the records taken, duplicates included.
    /// - Throws: `InboxError` of code ``InboxError/Code/fenced`` when somebody else moved it; `PostgresError`.
    public func advance(
        _ partition: Int32, from: Int64, to next: Int64, by count: Int, on connection: PostgresConnection
    ) async throws {
        precondition(next >= from && count >= 0, "a watermark never goes back")
        let moved = try await connection.execute(
            """
            UPDATE \(schema).inbox_watermarks SET next_offset = $4, count = count + $5, updated_at = clock_timestamp()
            WHERE topic = $1 AND partition = $2 AND next_offset = $3
            """, [topic, partition, from, next, Int64(count)])
        guard moved == 1 else {
            throw error(
                .fenced, "the watermark is no longer at \(from): another instance owns the partition", partition)
        }
    }

    /// The watermark of each partition that was started.
    public func watermarks(on connection: PostgresConnection) async throws -> [Int32: Watermark] {
        let rows = try await connection.query(
            """
            SELECT partition, next_offset, count, cluster_id, system_identifier, timeline
            FROM \(schema).inbox_watermarks WHERE topic = $1
            """, [topic])
        let pairs = try rows.map { row in
            (
                try row.int32("partition"),
                Watermark(
                    nextOffset: try row.int64("next_offset"), count: try row.int64("count"),
                    clusterID: try row.string("cluster_id"),
                    server: DatabaseServer(
                        identifier: try row.int64("system_identifier"), timeline: try row.string("timeline")))
            )
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The ranges of offsets that left the topic before they were read, by partition and offset.
    ///
    /// - Throws: ``StoreError`` when a row is none that ``start(_:clusterID:acceptLogStart:on:)`` wrote; `PostgresError`.
    public func losses(
        on connection: PostgresConnection
    ) async throws -> [(partition: Int32, offsets: Range<Int64>)] {
        let rows = try await connection.query(
            """
            SELECT partition, first_offset, end_offset FROM \(schema).inbox_losses WHERE topic = $1
            ORDER BY partition, first_offset
            """, [topic])
        return try rows.map { row in
            let (first, end) = (try row.int64("first_offset"), try row.int64("end_offset"))
            guard first < end else {
                throw StoreError(.malformed, at: "inbox_losses.end_offset", "a loss ends behind its first offset")
            }
            return (try row.int32("partition"), first..<end)
        }
    }

    /// A check that the service may write: a watermark of a topic that is none, written and taken back.
    public func writeCheck(on pool: PostgresPool, readiness: Readiness) -> PostgresWriteCheck {
        PostgresWriteCheck(
            PostgresStatement(
                """
                INSERT INTO \(schema).inbox_watermarks
                    (topic, partition, next_offset, cluster_id, system_identifier, timeline)
                VALUES ('write check', pg_backend_pid(), 0, '', 0, '')
                """), on: pool, readiness: readiness)
    }

    func error(_ code: InboxError.Code, _ reason: String, _ partition: Int32) -> InboxError {
        InboxError(code, reason, topic: topic, partition: partition)
    }

    /// The tables, for a migration of the service; one pair serves all its topics.
    ///
    /// - Parameters:
    ///   - schema: the service's schema.
    ///   - role: the service's role; it must exist.
    public static func migrationSQL(schema: String, role: String) -> String {
        """
        CREATE TABLE \(schema).inbox_watermarks (
            topic text NOT NULL,
            partition integer NOT NULL CHECK (partition >= 0),
            next_offset bigint NOT NULL CHECK (next_offset >= 0),
            count bigint NOT NULL DEFAULT 0,
            cluster_id text NOT NULL,
            system_identifier bigint NOT NULL,
            timeline text NOT NULL,
            updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (topic, partition)) WITH (fillfactor = 50);

        CREATE TABLE \(schema).inbox_losses (
            topic text NOT NULL,
            partition integer NOT NULL,
            first_offset bigint NOT NULL,
            end_offset bigint NOT NULL CHECK (end_offset > first_offset),
            found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (topic, partition, first_offset));

        GRANT SELECT, INSERT, UPDATE ON \(schema).inbox_watermarks TO \(role);
        GRANT SELECT, INSERT ON \(schema).inbox_losses TO \(role);
        """
    }
}
