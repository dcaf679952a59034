/// The topics between the three services, and their required settings.
public struct Topic: Hashable, Sendable {
    public let name: String
    /// How long records are kept, in milliseconds; -1 means for ever.
    public let retentionMilliseconds: Int64
    /// How long Kafka writes to one segment at most. Kafka deletes only whole segments, so commands need short ones.
    public let segmentMilliseconds: Int64?
    /// `retention.bytes`; -1 means without limit.
    public let retentionBytes: Int64

    private init(_ name: String, retentionDays: Int64?, segmentHours: Int64? = nil) {
        self.name = name
        retentionMilliseconds = retentionDays.map { $0 * 86_400_000 } ?? -1
        segmentMilliseconds = segmentHours.map { $0 * 3_600_000 }
        retentionBytes = -1
    }

    /// Commands to the gateway. They contain sealed card data, so they are kept only briefly.
    public static let charges = Self("orchard.charges.v1", retentionDays: 7, segmentHours: 1)
    /// Facts, kept for ever: the source of the books and of every replay.
    public static let journal = Self("orchard.journal.v1", retentionDays: nil)
    /// Attempts to pay that token-ingest rejected. They are not in the books.
    public static let attempts = Self("orchard.attempts.v1", retentionDays: 30)

    /// Customers' contacts, sealed for order-ledger, which opens them for 8 days.
    public static let contacts = Self("orchard.contacts.v1", retentionDays: 7, segmentHours: 1)
    /// Orders whose contacts were erased, kept for ever: a restored database erases them again.
    public static let erasures = Self("orchard.erasures.v1", retentionDays: nil)

    /// The suffix of the name of a topic's dead letters.
    public static let deadLetterSuffix = ".dlq"

    /// The topic for records of this topic that could not be processed.
    public var deadLetters: Topic { Self(name + Self.deadLetterSuffix, retentionDays: 30) }

    /// Whether this is a topic for dead letters.
    public var isForDeadLetters: Bool { name.hasSuffix(Self.deadLetterSuffix) }

    /// Every topic that `order-ledger topics create` makes.
    public static let all = [charges, journal].flatMap { [$0, $0.deadLetters] } + [attempts, contacts, erasures]
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
