import OrchardPostgres
import OrchardServiceKit

/// Compares the database with the log where nobody has lost anything, as far as is known.
extension PartitionRecovery {
    /// How long after a recovery a batch may still come to the log that was under way when the database lost its last
    /// transactions: its process may live, and sends until Kafka has it.
    static let lateness = Duration.seconds(15 * 60)

    /// Why the database is older than the log, and a person must say whether it goes on; nil when it is not.
    ///
    /// Late events of a partition that was just recovered are taken up instead.
    func refusal(of partition: Int32) async throws -> String? {
        let situation = try await situation(of: partition)
        guard let watermark = situation.watermark else { return nil }
        if let refusal = watermark.refusal { return refusal }
        guard !situation.isAnotherLog, situation.server == watermark.server else { return nil }
        if let committed = situation.committed, committed > max(watermark.nextOffset, watermark.mark) {
            return InboxStart.restored(at: watermark.nextOffset, committed: committed, inbox.recoverCommand)
        }
        return try await numberRefusal(of: partition)
    }

    /// Why the database is older than the events that this service itself has told; nil when it is not.
    func numberRefusal(of partition: Int32) async throws -> String? {
        let count = try await eventsAhead(of: partition)
        guard count > 0, try await !takeLateEvents(of: partition) else { return nil }
        return "the log holds \(count) events of \(inbox.program) that the database does not know: it was restored "
            + "from an older state. Run `\(inbox.recoverCommand)`"
    }

    /// Says, for all instances, that nothing of the partition is stepped until `recover` was run.
    func refuse(_ partition: Int32, _ reason: String) async throws {
        logger.critical("ALARM: the partition stands still", ["partition": "\(partition)", "reason": reason])
        try await database.withConnection { try await inbox.refuse(partition, reason, on: $0) }
    }

    /// Takes up what came to the log after the partition had been brought up to it.
    ///
    /// - Returns: false when there is nothing, or when the last recovery is so long ago that the database must be an older
    ///   one; then nothing is changed.
    func takeLateEvents(of partition: Int32) async throws -> Bool {
        guard try await isJustRecovered(partition), try await situation(of: partition).need == .nothing,
            try await streams(of: partition).contains(where: \.isAhead)
        else { return false }
        return try await recover(partition, isRestored: true) != nil
    }

    private func isJustRecovered(_ partition: Int32) async throws -> Bool {
        try await database.withConnection { connection in
            let server = try await DatabaseServer.current(of: inbox.schema, on: connection)
            return try await !connection.query(
                """
                SELECT 1 FROM \(inbox.schema).inbox_recoveries WHERE topic = $1 AND partition = $2 AND server = $3
                    AND recovered_at > clock_timestamp() - interval '\(Self.lateness.components.seconds) seconds' LIMIT 1
                """, [inbox.topic, partition, server.description]
            ).isEmpty
        }
    }
}
