import KafkaBridge

/// What a relay notifies the others of: the streams that got events, each as `topic/partition`, between spaces.
enum StreamNames {
    /// A payload must be shorter than this many bytes.
    private static let limit = 8_000

    /// The names of streams; empty, which means any stream, when there are too many.
    static func text(_ streams: Set<TopicPartition>) -> String {
        let text = streams.sorted().map { "\($0.topic)/\($0.partition)" }.joined(separator: " ")
        return text.utf8.count < limit ? text : ""
    }

    /// The streams that a text names; nil when it names none, which means any stream.
    static func streams(_ text: String) -> Set<TopicPartition>? {
        // Topics have names in ASCII, and other texts may be slow to hash: any session may notify of anything.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let names = text.split(separator: " ")
        let streams = names.compactMap { name -> TopicPartition? in
            guard let slash = name.lastIndex(of: "/"), let partition = Int32(name[name.index(after: slash)...])
            else { return nil }
            return TopicPartition(String(name[..<slash]), partition)
        }
        return streams.isEmpty || streams.count < names.count ? nil : Set(streams)
    }
}
