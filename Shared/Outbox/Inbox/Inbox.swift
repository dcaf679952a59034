import Contracts
import OrchardPostgres
import OrchardServiceKit

/// The watermarks of a service on one topic. Offset and effect are written in one transaction, so that each record
/// takes effect exactly once, however often it is delivered.
public struct Inbox: Hashable, Sendable {
    /// The configuration key, in every service, that lets a new database begin where the log begins.
    public static let acceptLogStartKey = "inbox.accept-log-start"

    /// The service's schema.
    public let schema: String
    /// The topic's name.
    public let topic: String
    /// The program. An operator runs its command `recover` after a database was restored.
    public let program: String

    public init(schema: String, topic: Topic, program: String) {
        self.schema = schema
        self.topic = topic.name
        self.program = program
    }

    /// The command that lets a refused partition continue.
    var recoverCommand: String { "\(program) recover --restored" }

    /// Locks the partition's watermark for the caller's transaction.
    ///
    /// - Parameter start: the reading position before the records that are to be written; nil for none.
    /// - Returns: the first offset that is not in the database; skip records below it.
    /// - Throws: `InboxError` when the partition was never started, when the server is no longer the one that wrote the
    ///   watermark, or when records between the watermark and `start` were not read; `PostgresError`.
    public func lock(_ partition: Int32, from start: Int64?, on connection: PostgresConnection) async throws -> Int64 {
        try await open(partition, from: start, on: connection).next
    }

    /// Locks the partition's watermark for the caller's transaction, and also returns the mark of the last recovery.
    ///
    /// - Parameter start: as in ``lock(_:from:on:)``.
    /// - Returns: the first offset that is not in the database, and the mark. A command below the mark without effect
    ///   here may have had an effect in a database that was lost.
    /// - Throws: as ``lock(_:from:on:)``.
    public func open(
        _ partition: Int32, from start: Int64?, on connection: PostgresConnection
    ) async throws -> (next: Int64, mark: Int64) {
        try opened(try await connection.pipeline([opening(partition)]), partition, from: start)
    }

    /// The statement of ``open(_:from:on:)``, to be sent in a pipeline before others of the same transaction. They see
    /// what was committed before the lock was obtained.
    public func opening(_ partition: Int32) -> PostgresStatement { fence(partition, "FOR UPDATE") }

    /// Reads the result of ``opening(_:)``.
    ///
    /// - Throws: `InboxError`, as ``lock(_:from:on:)``.
    public func opened(
        _ results: [PostgresResult], _ partition: Int32, from start: Int64?
    ) throws -> (next: Int64, mark: Int64) {
        let row = try check(results[0], partition)
        let next = try row.int64("next_offset")
        // A recovery set the watermark back: a database that was lost had read the records in between.
        if let start, next < start {
            throw error(
                .movedBack,
                "the watermark went back from \(start) to \(next) with a promoted standby: reading again from there",
                partition)
        }
        return (next, try row.int64("mark"))
    }

    /// Moves the watermark in the caller's transaction.
    ///
    /// - Parameters:
    ///   - from: what ``lock(_:from:on:)`` returned.
    ///   - next: the first offset that is not in the database now.
    ///   - count: the records processed, duplicates included.
    ///   - last: the last of them; nil when there is none.
    /// - Throws: `InboxError` of code ``InboxError/Code/fenced`` when another process moved it; `PostgresError`.
    public func advance(
        _ partition: Int32, from: Int64, to next: Int64, by count: Int, last: LastRecord? = nil,
        on connection: PostgresConnection
    ) async throws {
        let statement = advancing(partition, from: from, to: next, by: count, last: last)
        try advanced(try await connection.pipeline([statement])[0], partition, from: from)
    }

    /// The statement of ``advance(_:from:to:by:last:on:)``, to be sent in a pipeline with others of the same
    /// transaction. Pass its result to ``advanced(_:_:from:)``.
    public func advancing(
        _ partition: Int32, from: Int64, to next: Int64, by count: Int, last: LastRecord? = nil
    ) -> PostgresStatement {
        precondition(next >= from && count >= 0, "a watermark never goes back")
        return PostgresStatement(
            """
            UPDATE \(schema).inbox_watermarks SET next_offset = $4, count = count + $5, updated_at = clock_timestamp(),
                last_offset = coalesce($6, last_offset), last_digest = coalesce($7, last_digest)
            WHERE topic = $1 AND partition = $2 AND next_offset = $3
            """, [topic, partition, from, next, Int64(count), last?.offset, last?.digest])
    }

    /// - Throws: `InboxError` of code ``InboxError/Code/fenced`` when another process moved the watermark.
    public func advanced(_ result: PostgresResult, _ partition: Int32, from: Int64) throws(InboxError) {
        guard result.affectedRows == 1 else {
            throw error(
                .fenced, "the watermark is no longer at \(from): another instance owns the partition", partition)
        }
    }

    /// The watermark of each partition that was started.
    public func watermarks(on connection: PostgresConnection) async throws -> [Int32: Watermark] {
        let rows = try await connection.query(
            """
            SELECT partition, next_offset, count, cluster_id, system_identifier AS identifier, timeline, objects, refusal,
                mark, last_offset, last_digest
            FROM \(schema).inbox_watermarks WHERE topic = $1
            """, [topic])
        let pairs = try rows.map { row in
            (
                try row.int32("partition"),
                Watermark(
                    nextOffset: try row.int64("next_offset"), count: try row.int64("count"),
                    clusterID: try row.string("cluster_id"),
                    server: try DatabaseServer(row), refusal: try row.optionalString("refusal"),
                    mark: try row.int64("mark"),
                    last: try row.optionalInt64("last_offset").map {
                        LastRecord(offset: $0, digest: try row.bytes("last_digest"))
                    })
            )
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The ranges of offsets that left the topic before they were read, by partition and offset.
    ///
    /// - Throws: ``StoreError`` when ``start(_:clusterID:acceptLogStart:on:)`` cannot have written a row;
    ///   `PostgresError`.
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

    /// A check that the service may write: it writes the watermark of a topic that does not exist, and rolls it back.
    public func writeCheck(on pool: PostgresPool, readiness: Readiness) -> PostgresWriteCheck {
        PostgresWriteCheck(
            PostgresStatement(
                """
                INSERT INTO \(schema).inbox_watermarks
                    (topic, partition, next_offset, cluster_id, system_identifier, timeline, objects)
                VALUES ('write check', pg_backend_pid(), 0, '', 0, '', '')
                """), on: pool, readiness: readiness)
    }

    func error(_ code: InboxError.Code, _ reason: String, _ partition: Int32) -> InboxError {
        InboxError(code, reason, topic: topic, partition: partition)
    }
}
