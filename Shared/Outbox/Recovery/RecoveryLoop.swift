import OrchardPostgres
import OrchardServiceKit

/// Finds partitions whose standby was promoted, and recovers them, without a person and without waiting for a command; and
/// finds those whose database was replaced by an older one, also while nothing comes to them.
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
            var places: [Int32: Place] = [:]
            while true {
                await look(&places)
                try await Task.sleep(for: interval)
            }
        }
    }

    /// How far a partition has come; it goes back only with an older database.
    private struct Place {
        let next: Int64
        /// The numbers given in all its streams.
        let given: Int64

        func isBehind(_ other: Place) -> Bool { next < other.next || given < other.given }
    }

    private struct Row {
        let partition: Int32
        let place: Place
        let refusal: String?
        let isPromoted: Bool
    }

    private func look(_ places: inout [Int32: Place]) async {
        // A database that is away is told by the pool.
        guard let rows = try? await partitions() else { return }
        var waiting: [Int32: String] = [:]
        var canCompare = true
        for row in rows {
            if let refusal = row.refusal {
                waiting[row.partition] = refusal
            } else if row.isPromoted {
                do { _ = try await recovery.recover(row.partition) } catch {
                    guard !Task.isCancelled else { return }
                    waiting[row.partition] = "\(error)"
                    recovery.logger.warning("a recovery waits: \(error)", ["partition": "\(row.partition)"])
                }
            } else if let place = places[row.partition], !row.place.isBehind(place) {
                places[row.partition] = row.place
            } else if canCompare {
                // Seen for the first time, or behind where it was. A Kafka that is away is told by its clients.
                do {
                    waiting[row.partition] = try await compare(row.partition)
                    places[row.partition] = row.place
                } catch { canCompare = false }
            }
        }
        tell(waiting)
    }

    /// - Returns: why the partition stands still from now on; nil when it goes on.
    private func compare(_ partition: Int32) async throws -> String? {
        guard let refusal = try await recovery.refusal(of: partition) else { return nil }
        try await recovery.refuse(partition, refusal)
        return refusal
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

    /// The partitions that were started on this server; those of another one wait for a person, which their consumer tells.
    private func partitions() async throws -> [Row] {
        let (inbox, schema) = (recovery.inbox, recovery.inbox.schema)
        return try await recovery.database.withConnection { connection in
            try await connection.query(
                """
                SELECT w.partition, w.next_offset, w.refusal, w.timeline <> server.timeline AS is_promoted,
                    coalesce((SELECT sum(s.last_sequence) FROM \(schema).outbox_streams AS s
                        WHERE s.partition = w.partition), 0)::bigint AS given
                FROM \(schema).inbox_watermarks AS w, (SELECT \(DatabaseServer.columns(of: schema))) AS server
                WHERE w.topic = $1 AND w.system_identifier = server.identifier AND w.objects = server.objects
                ORDER BY w.partition
                """, [inbox.topic]
            ).map { row in
                Row(
                    partition: try row.int32("partition"),
                    place: Place(next: try row.int64("next_offset"), given: try row.int64("given")),
                    refusal: try row.optionalString("refusal"), isPromoted: try row.bool("is_promoted"))
            }
        }
    }
}
