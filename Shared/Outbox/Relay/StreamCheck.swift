import KafkaBridge

/// Decides whether a relay that has just claimed a partition may publish there; pure.
enum StreamCheck {
    /// The database is older than the log: what it would publish now contradicts what was published.
    struct Refusal: Error, Equatable {
        let reason: String
    }

    /// - Parameters:
    ///   - head: the state in the database; nil when it never gave a number.
    ///   - log: the ends of the partition.
    ///   - newest: the highest number of the stream found in the log after the head's offset.
    ///   - recover: the command that ends a refusal.
    static func permit(
        _ partition: TopicPartition, head: StreamHead?, log: Watermarks, newest: Int64?, recover: String
    ) throws(Refusal) {
        if let head, let offset = head.offset, head.isOf(another: log) {
            throw Refusal(
                reason: "\(partition) ends at offset \(log.high), but a record was acknowledged at \(offset): the log "
                    + "has lost records or was recreated. Nothing is published until an operator runs `\(recover)`")
        }
        if let newest, newest > head?.sequence ?? 0 {
            throw Refusal(
                reason: "\(partition) holds number \(newest) of the stream, but the database has given only "
                    + "\(head?.sequence ?? 0): a standby was promoted, or a backup restored. Nothing is published until "
                    + "the partition is brought up to the log: by itself after a promotion, else by `\(recover)`"
            )
        }
    }

    /// Where the search for the stream's records begins: behind the newest that the database knows of.
    static func firstUnknown(head: StreamHead?, log: Watermarks) -> Int64 {
        max(log.low, head?.offset.map { $0 + 1 } ?? log.low)
    }
}
