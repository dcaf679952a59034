/// The topics through which the three services talk, and what each must be like.
public struct Topic: Hashable, Sendable {
    public let name: String
    /// How long records are kept, in milliseconds; -1 is for ever.
    public let retentionMilliseconds: Int64
    /// The longest time one segment is written to; Kafka deletes whole segments, so commands need short ones.
    public let segmentMilliseconds: Int64?
    /// `retention.bytes`; -1 is without limit.
    public let retentionBytes: Int64

    private init(_ name: String, retentionDays: Int64?, segmentHours: Int64? = nil) {
        self.name = name
        retentionMilliseconds = retentionDays.map { $0 * 86_400_000 } ?? -1
        segmentMilliseconds = segmentHours.map { $0 * 3_600_000 }
        retentionBytes = -1
    }

    /// Commands to the gateway; hold sealed card data, therefore short-lived.
    public static let charges = Self("orchard.charges.v1", retentionDays: 7, segmentHours: 1)
    /// Facts, kept for ever: the source of every book and every replay.
    public static let journal = Self("orchard.journal.v1", retentionDays: nil)
    /// Attempts to pay that token-ingest rejected. They are not in the books.
    public static let attempts = Self("orchard.attempts.v1", retentionDays: 30)

    /// The suffix of the name of a topic's dead letters.
    public static let deadLetterSuffix = ".dlq"

    /// Where records of this topic go that cannot be understood.
    public var deadLetters: Topic { Self(name + Self.deadLetterSuffix, retentionDays: 30) }

    /// Whether this is such a topic.
    public var isForDeadLetters: Bool { name.hasSuffix(Self.deadLetterSuffix) }

    /// Every topic that `order-ledger topics create` makes.
    public static let all = [charges, journal].flatMap { [$0, $0.deadLetters] } + [attempts]
}

extension Topic {
    /// The topic's settings under Kafka's own names, as `topics create` sets them and each start checks them.
    public var settings: [String: String] {
        var settings = [
            "cleanup.policy": "delete",
            "retention.ms": "\(retentionMilliseconds)",
            "retention.bytes": "\(retentionBytes)",
        ]
        settings["segment.ms"] = segmentMilliseconds.map { "\($0)" }
        return settings
    }
}
