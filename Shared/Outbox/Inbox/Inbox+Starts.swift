import KafkaBridge
import OrchardPostgres

extension Inbox {
    /// The state of a partition in Kafka.
    struct LogState: Sendable {
        let low: Int64
        let high: Int64
        let committed: Int64?
        /// As in ``InboxStart/Situation``.
        var isLastThere: Bool?
    }

    /// The offsets to begin at, and the server of the database. Writes them to the database with what was lost.
    ///
    /// - Throws: `InboxError` of the first partition that must not be processed. Then nothing is written except that an
    ///   operator must act.
    func start(
        _ logs: [Int32: LogState], clusterID: String, acceptLogStart: Bool, on connection: PostgresConnection
    ) async throws -> (starts: [Int32: InboxStart], server: DatabaseServer) {
        let server = try await DatabaseServer.current(of: schema, on: connection)
        do {
            return (try await begin(logs, clusterID, server, acceptLogStart, on: connection), server)
        } catch let refusal as StartRefusal {
            let error = refusal.error
            if let written = refusal.written, error.code.isOfOlderDatabase {
                _ = try await refuse(error.partition, error.reason, seen: server, written: written, on: connection)
            }
            throw error
        }
    }

    /// Why a partition must not be processed, and the server that its watermark names.
    private struct StartRefusal: Error {
        let error: InboxError
        let written: DatabaseServer?
    }

    private func begin(
        _ logs: [Int32: LogState], _ clusterID: String, _ server: DatabaseServer, _ acceptLogStart: Bool,
        on connection: PostgresConnection
    ) async throws -> [Int32: InboxStart] {
        try await connection.transaction { connection in
            let known = try await watermarks(on: connection)
            var starts: [Int32: InboxStart] = [:]
            for (partition, log) in logs.sorted(by: { $0.key < $1.key }) {
                let situation = InboxStart.Situation(
                    topic: topic, partition: partition, watermark: known[partition], low: log.low, high: log.high,
                    committed: log.committed, clusterID: clusterID, server: server,
                    isLastThere: log.isLastThere, recover: recoverCommand)
                let start: InboxStart
                do throws(InboxError) {
                    start = try InboxStart.decide(situation, acceptLogStart: acceptLogStart)
                } catch {
                    throw StartRefusal(error: error, written: known[partition]?.server)
                }
                if known[partition] == nil {
                    try await connection.execute(
                        """
                        INSERT INTO \(schema).inbox_watermarks
                            (topic, partition, next_offset, cluster_id, system_identifier, timeline, objects)
                        VALUES ($1, $2, $3, $4, $5, $6, $7)
                        """,
                        [
                            topic, partition, start.offset, clusterID, server.identifier, server.timeline,
                            server.objects,
                        ])
                }
                if let loss = start.loss { try await record(loss, of: partition, known[partition], on: connection) }
                starts[partition] = start
            }
            return starts
        }
    }

    private func record(
        _ loss: Range<Int64>, of partition: Int32, _ watermark: Watermark?, on connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO \(schema).inbox_losses (topic, partition, first_offset, end_offset) VALUES ($1, $2, $3, $4)
            """, [topic, partition, loss.lowerBound, loss.upperBound])
        if let watermark {
            try await advance(partition, from: watermark.nextOffset, to: loss.upperBound, by: 0, on: connection)
        }
    }
}
