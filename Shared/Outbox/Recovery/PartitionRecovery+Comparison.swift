import OrchardPostgres
import OrchardServiceKit

/// Compares the database with the log when no loss is known.
extension PartitionRecovery {
    /// How long after a recovery a batch may still come to the log that was under way when the database lost its last
    /// transactions: its process may still run, and sends until Kafka has it.
    static let lateness = Duration.seconds(15 * 60)

    /// Why a database is older than its log, and the server that was compared.
    struct Refusal: Hashable, Sendable {
        let reason: String
        let server: DatabaseServer
    }

    /// Why the database is older than the log, and an operator must decide whether it goes on; nil when it is not.
    ///
    /// Late events of a partition that was just recovered are read back instead.
    func refusal(of partition: Int32) async throws -> Refusal? {
        let situation = try await situation(of: partition)
        guard let watermark = situation.watermark else { return nil }
        if let refusal = watermark.refusal { return Refusal(reason: refusal, server: situation.server) }
        guard !situation.isAnotherLog, situation.server == watermark.server else { return nil }
        if let committed = situation.committed, committed > max(watermark.nextOffset, watermark.mark) {
            return Refusal(
                reason: InboxStart.restored(at: watermark.nextOffset, committed: committed, inbox.recoverCommand),
                server: situation.server)
        }
        return try await numberRefusal(of: partition, on: situation.server)
    }

    /// Why the database is older than the events that this service has published; nil when it is not.
    ///
    /// - Parameter server: the server that wrote the watermark and answered before this comparison. A standby may be
    ///   promoted while the log is read; then it is that standby whose numbers are too low, and ``refuse(_:_:)`` does
    ///   nothing.
    func numberRefusal(of partition: Int32, on server: DatabaseServer) async throws -> Refusal? {
        let count = try await eventsAhead(of: partition)
        guard count > 0, try await !applyLateEvents(of: partition) else { return nil }
        return Refusal(
            reason: "the log holds \(count) events of \(inbox.program) that the database does not know: it was "
                + "restored from an older state. Run `\(inbox.recoverCommand)`", server: server)
    }

    /// Stops the partition for all instances until `recover` was run.
    ///
    /// - Returns: false when the database is another one by now: the partition must be compared again.
    func refuse(_ partition: Int32, _ refusal: Refusal) async throws -> Bool {
        let isRefused = try await database.withConnection {
            try await inbox.refuse(
                partition, refusal.reason, seen: refusal.server, written: refusal.server, on: $0)
        }
        if isRefused {
            logger.critical(
                "ALARM: the partition stands still", ["partition": "\(partition)", "reason": refusal.reason])
        }
        return isRefused
    }

    /// Reads back what came to the log after the partition was brought up to it.
    ///
    /// - Returns: false when there is nothing, or when the last recovery is so long ago that the database must be an
    ///   older one. Then nothing is changed.
    func applyLateEvents(of partition: Int32) async throws -> Bool {
        guard try await isJustRecovered(partition), try await situation(of: partition).need == .nothing,
            try await streams(of: partition).contains(where: \.isAhead)
        else { return false }
        return try await recover(partition, as: .withLateEvents) != nil
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
