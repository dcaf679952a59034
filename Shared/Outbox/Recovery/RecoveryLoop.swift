import OrchardPostgres
import OrchardServiceKit

/// Finds partitions whose standby was promoted, and recovers them without an operator and without waiting for a
/// command. Also finds partitions whose database was replaced by an older one, even while no records arrive.
public struct RecoveryLoop: Service {
    private let recovery: PartitionRecovery
    private let readiness: Readiness
    private let interval: Duration
    private let wasRecovered: @Sendable (Int32) async -> Void

    /// - Parameters:
    ///   - readiness: gets the component `recovery`.
    ///   - wasRecovered: called when a partition was brought up to the log, by this instance or another one: its reader
    ///     must go back, also while no records come.
    public init(
        _ recovery: PartitionRecovery, readiness: Readiness, every interval: Duration = .seconds(1),
        wasRecovered: @escaping @Sendable (Int32) async -> Void
    ) {
        self.recovery = recovery
        self.readiness = readiness
        self.interval = interval
        self.wasRecovered = wasRecovered
        report([:])
    }

    public func run() async throws {
        await repeatUntilGracefulShutdown(every: interval, from: Known()) { await check(&$0) }
    }

    /// The progress of a partition. It decreases only when the database was replaced by an older one.
    private struct Progress {
        let next: Int64
        /// The sum of the last numbers given in its streams.
        let given: Int64

        func isBehind(_ other: Progress) -> Bool { next < other.next || given < other.given }
    }

    /// What one check leaves to the next.
    private struct Known {
        var progress: [Int32: Progress] = [:]
        /// When a partition was last recovered.
        var recoveries: [Int32: String] = [:]
    }

    private struct Row {
        let partition: Int32
        let progress: Progress
        let refusal: String?
        let isPromoted: Bool
        /// When it was last recovered.
        let recovery: String?
    }

    private func check(_ known: inout Known) async {
        let rows: [Row]
        do { rows = try await partitions() } catch {
            // The pool reports a database that does not answer.
            if RetryPolicy.isTransient(error) || Task.isCancelled { return }
            let reason = "the watermarks cannot be read: \(error)"
            return readiness.set("recovery", ready: false, reason: reason)
        }
        var waiting: [Int32: String] = [:]
        var canCompare = true
        for row in rows {
            if known.recoveries.updateValue(row.recovery ?? "", forKey: row.partition) ?? "" != row.recovery ?? "" {
                await wasRecovered(row.partition)
            }
            if let refusal = row.refusal {
                waiting[row.partition] = refusal
            } else if row.isPromoted {
                do { _ = try await recovery.recover(row.partition) } catch {
                    guard !Task.isCancelled else { return }
                    waiting[row.partition] = "\(error)"
                    recovery.logger.warning("a recovery waits: \(error)", ["partition": "\(row.partition)"])
                }
            } else if let progress = known.progress[row.partition], !row.progress.isBehind(progress) {
                known.progress[row.partition] = row.progress
            } else if canCompare {
                // Seen for the first time, or behind where it was. Its clients report a Kafka that does not answer.
                do {
                    switch try await compare(row.partition) {
                    case .goesOn: known.progress[row.partition] = row.progress
                    case .standsStill(let reason): waiting[row.partition] = reason
                    case .changed: break
                    }
                } catch { canCompare = false }
            }
        }
        report(waiting)
    }

    private enum Comparison {
        case goesOn
        /// The partition stops now, for this reason.
        case standsStill(String)
        /// The database is another one by now: the partition is compared again.
        case changed
    }

    private func compare(_ partition: Int32) async throws -> Comparison {
        guard let refusal = try await recovery.refusal(of: partition) else { return .goesOn }
        return try await recovery.refuse(partition, refusal) ? .standsStill(refusal.reason) : .changed
    }

    private func report(_ waiting: [Int32: String]) {
        if let (partition, reason) = waiting.min(by: { $0.key < $1.key }) {
            readiness.set(
                "recovery", ready: false,
                reason: "\(waiting.count) partitions wait to be brought up to the log, first \(partition): \(reason)")
        } else {
            readiness.set("recovery", ready: true, reason: "no partition waits for it")
        }
    }

    /// The partitions that were started on this server; those of another one wait for an operator, as their consumer
    /// reports.
    private func partitions() async throws -> [Row] {
        let (inbox, schema) = (recovery.inbox, recovery.inbox.schema)
        return try await recovery.database.withConnection { connection in
            try await connection.query(
                """
                SELECT w.partition, w.next_offset, w.refusal, w.timeline <> server.timeline AS is_promoted,
                    (SELECT least(coalesce(sum(s.last_sequence), 0), 1::bigint << 62) FROM \(schema).outbox_streams AS s
                        WHERE s.partition = w.partition)::bigint AS given,
                    (SELECT max(r.recovered_at)::text FROM \(schema).inbox_recoveries AS r
                        WHERE r.topic = w.topic AND r.partition = w.partition) AS recovery
                FROM \(schema).inbox_watermarks AS w, (SELECT \(DatabaseServer.columns(of: schema))) AS server
                WHERE w.topic = $1 AND w.system_identifier = server.identifier AND w.objects = server.objects
                ORDER BY w.partition
                """, [inbox.topic]
            ).map { row in
                Row(
                    partition: try row.int32("partition"),
                    progress: Progress(next: try row.int64("next_offset"), given: try row.int64("given")),
                    refusal: try row.optionalString("refusal"), isPromoted: try row.bool("is_promoted"),
                    recovery: try row.optionalString("recovery"))
            }
        }
    }
}
