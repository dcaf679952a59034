import KafkaBridge
import OrchardServiceKit

/// How far the log of a stream has been searched for our numbers.
struct LogSearch: Sendable {
    /// Everything below has been searched.
    var next: Int64
    /// The highest number found.
    var newest: Int64?

    /// Records what was read. Records of other producers are skipped.
    mutating func add(_ records: [KafkaRecord], of stream: String) {
        for record in records {
            next = max(next, record.offset + 1)
            guard record.header("ce_stream") == stream,
                let number = record.header("ce_streamseq").flatMap({ Int64($0) })
            else { continue }
            newest = max(newest ?? 0, number)
        }
    }
}

/// The places of all searches. They outlive sessions, so that a long log is read only once.
final class LogSearches: Sendable {
    private let searches = Locked<[TopicPartition: LogSearch]>([:])

    subscript(_ stream: TopicPartition) -> LogSearch? {
        get { searches.withLock { $0[stream] } }
        set { searches.withLock { $0[stream] = newValue } }
    }
}
