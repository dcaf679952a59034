import OrchardPostgres
import OrchardServiceKit

/// Finds partitions whose standby was promoted, and recovers them, without a person and without waiting for a command.
public struct RecoveryLoop: Service {
    private let recovery: PartitionRecovery
    private let readiness: Readiness
    private let interval: Duration

    /// - Parameter readiness: gets the component `recovery`.
    public init(_ recovery: PartitionRecovery, readiness: Readiness, every interval: Duration = .seconds(1)) {
        self.recovery = recovery
        self.readiness = readiness
        self.interval = interval
        tell([:])
    }

    public func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await look()
                try await Task.sleep(for: interval)
            }
        }
    }

    private func look() async {
        // A database that is away is told by the pool.
        guard let promoted = try? await promotedPartitions() else { return }
        var waiting: [Int32: String] = [:]
        for partition in promoted {
            do {
                _ = try await recovery.recover(partition)
            } catch {
                guard !Task.isCancelled else { return }
                waiting[partition] = "\(error)"
                recovery.logger.warning("a recovery waits: \(error)", ["partition": "\(partition)"])
            }
        }
        tell(waiting)
    }

    private func tell(_ waiting: [Int32: String]) {
        if let (partition, reason) = waiting.min(by: { $0.key < $1.key }) {
            readiness.set(
                "recovery", ready: false,
                reason: "\(waiting.count) partitions wait to be brought up to the log, first \(partition): \(reason)")
        } else {
            readiness.set("recovery", ready: true, reason: "no partition waits for it")
        }
    }

    private func promotedPartitions() async throws -> [Int32] {
        let inbox = recovery.inbox
        return try await recovery.database.withConnection { connection in
            try await connection.query(
                """
                SELECT w.partition FROM \(inbox.schema).inbox_watermarks AS w, (SELECT \(DatabaseServer.columns(of: inbox.schema))) AS server
                WHERE w.topic = $1 AND w.refusal IS NULL AND w.system_identifier = server.identifier
                    AND w.objects = server.objects AND w.timeline <> server.timeline
                ORDER BY w.partition
                """, [inbox.topic]
            ).map { try $0.int32("partition") }
        }
    }
}
