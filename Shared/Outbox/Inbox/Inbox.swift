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
        let place = try opened(try await connection.pipeline([opening([partition])])[0], partition, from: start)
        return place.next
    }

    /// The statement that locks partitions' watermarks for its transaction, to be sent in a pipeline before others. They
    /// see what was committed before the locks were obtained. Read its result with ``opened(_:_:from:)``.
    public func opening(_ partitions: [Int32]) -> PostgresStatement {
        // In one order: two that lock several never wait for each other.
        fence(partitions, "ORDER BY partition FOR UPDATE")
    }

    /// Reads a partition's watermark from the result of ``opening(_:)``.
    ///
    /// - Parameter start: as in ``lock(_:from:on:)``.
    /// - Returns: the first offset that is not in the database, and the mark of the last recovery. A command below the
    ///   mark without effect here may have had an effect in a database that was lost.
    /// - Throws: `InboxError`, as ``lock(_:from:on:)``.
    public func opened(
        _ result: PostgresResult, _ partition: Int32, from start: Int64?
    ) throws -> (next: Int64, mark: Int64) {
        let row = try check(try result.rows.first { try $0.int32("partition") == partition }, partition)
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

    /// What moves a partition's watermark.
    public struct Advance: Sendable {
        public let partition: Int32
        let from: Int64
        let next: Int64
        let count: Int
        let last: LastRecord?

        /// - Parameters:
        ///   - from: what ``Inbox/opened(_:_:from:)`` returned.
        ///   - next: the first offset that is not in the database now.
        ///   - count: the records processed, duplicates included.
        ///   - last: the last of them; nil when there is none.
        public init(_ partition: Int32, from: Int64, to next: Int64, by count: Int, last: LastRecord? = nil) {
            precondition(next >= from && count >= 0, "a watermark never goes back")
            self.partition = partition
            self.from = from
            self.next = next
            self.count = count
            self.last = last
        }
    }

    /// Moves a watermark in the caller's transaction; parameters as of ``Advance``.
    ///
    /// - Throws: `InboxError` of code ``InboxError/Code/fenced`` when another process moved it; `PostgresError`.
    public func advance(
        _ partition: Int32, from: Int64, to next: Int64, by count: Int, last: LastRecord? = nil,
        on connection: PostgresConnection
    ) async throws {
        let advance = Advance(partition, from: from, to: next, by: count, last: last)
        try advanced(try await connection.pipeline([advancing([advance])])[0], [advance])
    }

    /// The statement that moves watermarks, to be sent in a pipeline with others of the same transaction. It writes a row
    /// for each; pass its result to ``advanced(_:_:)``.
    public func advancing(_ advances: [Advance]) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE \(schema).inbox_watermarks AS w SET next_offset = new.next, count = w.count + new.count,
                updated_at = clock_timestamp(), last_offset = coalesce(new.last_offset, w.last_offset),
                last_digest = coalesce(new.last_digest, w.last_digest)
            FROM unnest($2::integer[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[])
                AS new(partition, start, next, count, last_offset, last_digest)
            WHERE w.topic = $1 AND w.partition = new.partition AND w.next_offset = new.start
            """,
            [
                topic, advances.map(\.partition), advances.map(\.from), advances.map(\.next),
                advances.map { Int64($0.count) }, advances.map { $0.last?.offset }, advances.map { $0.last?.digest },
            ])
    }

    /// - Throws: `InboxError` of code ``InboxError/Code/fenced`` when another process moved a watermark.
    public func advanced(_ result: PostgresResult, _ advances: [Advance]) throws(InboxError) {
        guard let first = advances.first, result.affectedRows != advances.count else { return }
        let places = advances.map { "P\($0.partition)@\($0.from)" }.joined(separator: ", ")
        throw error(
            .fenced, "the watermark is no longer at \(places): another instance owns the partition", first.partition)
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
                    clusterID: row.comparableText("cluster_id") ?? "",
                    server: try DatabaseServer(row), refusal: row.comparableText("refusal"),
                    mark: try row.int64("mark"),
                    last: try row.optionalInt64("last_offset").map {
                        LastRecord(offset: $0, digest: try row.bytes("last_digest"))
                    })
            )
        }
        // A table without its key may have two.
        return Dictionary(pairs) { first, _ in first }
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
