import KafkaBridge

/// How far a stream has come in one partition of a topic, as the database knows it.
struct StreamHead: Hashable, Sendable {
    /// The highest number given.
    var sequence: Int64
    /// Where Kafka acknowledged the newest record, if one was.
    var offset: Int64?
}

/// Decides whether a relay that has just taken a partition may publish there; pure.
enum StreamCheck {
    /// The database is older than the log: what it would publish now contradicts what was published.
    struct Refusal: Error, Equatable {
        let reason: String
    }

    /// - Parameters:
    ///   - head: the database's word; nil when it never gave a number.
    ///   - log: the ends of the partition.
    ///   - newest: the highest number of the stream found in the log behind the head's offset.
    static func permit(
        _ partition: TopicPartition, head: StreamHead?, log: Watermarks, newest: Int64?
    ) throws(Refusal) {
        if let offset = head?.offset, offset >= log.high {
            throw Refusal(
                reason: "\(partition) ends at offset \(log.high), but a record was acknowledged at \(offset): the log "
                    + "has lost records or was made anew. Nothing is published until `recover` was run")
        }
        if let newest, newest > head?.sequence ?? 0 {
            throw Refusal(
                reason: "\(partition) holds number \(newest) of the stream, but the database has given only "
                    + "\(head?.sequence ?? 0): a standby was promoted, or a backup restored. Nothing is published until "
                    + "the partition is brought up to the log: by itself after a promotion, else by this service's "
                    + "command `recover --restored`")
        }
    }

    /// Where to begin looking for the stream's records: behind the newest that the database knows of.
    static func firstUnknown(head: StreamHead?, log: Watermarks) -> Int64 {
        max(log.low, head?.offset.map { $0 + 1 } ?? log.low)
    }
}
