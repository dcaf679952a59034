import Contracts
import KafkaBridge
import OrchardPostgres

/// Where reading a topic goes on that is outside the books: a table with a row for each partition. It is in the database,
/// so that a restored one reads again what it has lost.
struct ReadingPlaces: Sendable {
    /// In the ledger's schema, with the columns `partition`, `cluster_id` and `next_offset`.
    let table: String
    let topic: Topic
    let database: PostgresPool

    /// Moves on behind a record, in the transaction that processes it.
    func moving(_ partition: Int32, behind offset: Int64) -> PostgresStatement {
        PostgresStatement(
            "UPDATE ledger.\(table) SET next_offset = $2 WHERE partition = $1", [partition, offset + 1])
    }

    /// The start offsets: the stored offset if the log has it, else the beginning of the log.
    ///
    /// - Parameter logs: the ends of each partition's log, in the cluster `clusterID`.
    func starts(_ logs: [Int32: Watermarks], clusterID: String) async throws -> [Int32: Int64] {
        try await database.withTransaction { connection in
            let rows = try await connection.query(
                "SELECT partition, next_offset FROM ledger.\(table) WHERE cluster_id = $1", [clusterID])
            var known: [Int32: Int64] = [:]
            for row in rows { known[try row.int32("partition")] = try row.int64("next_offset") }
            let starts = logs.map { partition, log in
                (partition, known[partition].flatMap { (log.low...log.high).contains($0) ? $0 : nil } ?? log.low)
            }
            try await connection.execute(
                """
                INSERT INTO ledger.\(table) (partition, cluster_id, next_offset)
                SELECT partition, $2, next_offset FROM unnest($1::integer[], $3::bigint[]) AS n(partition, next_offset)
                ON CONFLICT (partition) DO UPDATE
                    SET cluster_id = excluded.cluster_id, next_offset = excluded.next_offset
                """, [starts.map(\.0), clusterID, starts.map(\.1)])
            return Dictionary(starts) { first, _ in first }
        }
    }
}

/// Returns the start offset of each partition.
struct ReadingStarts: RebalanceObserver {
    let places: ReadingPlaces
    let admin: KafkaAdmin

    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        let clusterID = try await admin.clusterID()
        var logs: [Int32: Watermarks] = [:]
        for partition in partitions { logs[partition.partition] = try await admin.watermarks(partition) }
        let starts = try await places.starts(logs, clusterID: clusterID)
        return Dictionary(
            uniqueKeysWithValues: starts.map { (TopicPartition(places.topic.name, $0.key), $0.value) })
    }

    func obstacle() async -> String? { await places.database.obstacle() }
}
