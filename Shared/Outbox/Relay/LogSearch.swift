import KafkaBridge
import OrchardServiceKit

/// How far the log of a stream has been looked through for numbers of ours.
struct LogSearch: Sendable {
    /// Everything below has been looked at.
    var next: Int64
    /// The highest number found.
    var newest: Int64?

    /// Takes in what was read: what other producers wrote there is skipped.
    mutating func add(_ records: [KafkaRecord], of stream: String) {
        for record in records {
            next = max(next, record.offset + 1)
            guard record.headers.contains(where: { $0.name == "ce_stream" && $0.text == stream }),
                let number = record.headers.first(where: { $0.name == "ce_streamseq" })?.text.flatMap({ Int64($0) })
            else { continue }
            newest = max(newest ?? 0, number)
        }
    }
}

/// The places of all looks: kept while sessions come and go, so that a long log is read once and not begun anew.
final class LogSearches: Sendable {
    private let searches = Locked<[TopicPartition: LogSearch]>([:])

    subscript(_ stream: TopicPartition) -> LogSearch? {
        get { searches.withLock { $0[stream] } }
        set { searches.withLock { $0[stream] = newValue } }
    }
}
