/// The state of an outbox's stream.
enum StreamSituation: Hashable, Sendable {
    /// The log holds this many of our own events that the database does not know.
    case compared(events: Int)
    /// The log could not be read, or is another one.
    case notCompared(String)

    var isAhead: Bool {
        guard case .compared(let events) = self else { return false }
        return events > 0
    }
}

/// What is known of a partition whose database may have lost its last transactions.
public struct RecoverySituation: Hashable, Sendable {
    public let partition: Int32
    /// nil when the database has never seen the partition.
    public let watermark: Watermark?
    public let server: DatabaseServer
    public let clusterID: String
    /// The log of commands (or facts) that the service reads.
    public let low: Int64
    public let high: Int64
    /// The group's committed offset.
    public let committed: Int64?
    /// Whether the log has the last processed record; nil when it is not known.
    var isLastThere: Bool?

    /// What must be done with the partition.
    public enum Need: Hashable, Sendable {
        /// The partition continues as it is.
        case nothing
        /// A standby was promoted: `serve` brings the partition up to the log by itself.
        case promotion
        /// An operator must decide that this database goes on.
        case person
    }

    /// Whether the watermark belongs to another log, or the log has lost records.
    var isAnotherLog: Bool {
        watermark.map { $0.clusterID != clusterID || $0.nextOffset > high || isLastThere == false } ?? false
    }

    /// Up to where a database that was lost may have processed the records.
    ///
    /// - Parameters:
    ///   - end: where the log ends now.
    ///   - isReadAnew: whether the partition begins at the log's beginning. What the group committed outlives a log that
    ///     lost its end, and up to there the partition must count as read.
    func mark(to end: Int64, isReadAnew: Bool) -> Int64 {
        isReadAnew ? max(end, committed ?? 0) : max(end, watermark?.mark ?? 0)
    }

    public var need: Need {
        guard let watermark else { return (committed ?? 0) > 0 ? .person : .nothing }
        if isAnotherLog || !watermark.server.holdsTables(of: server) || watermark.refusal != nil {
            return .person
        }
        if watermark.server.timeline != server.timeline { return .promotion }
        return max(watermark.nextOffset, watermark.mark) < committed ?? 0 ? .person : .nothing
    }
}
