import KafkaBridge
import OrchardServiceKit

/// Looks at topics, books and webhooks, and tells the feed what is new, while a window shows it.
struct BehindReader: Sendable {
    let feed: BehindFeed
    let webhooks: WebhookShelf
    let kafka: KafkaConfiguration
    /// The number of partitions of each topic.
    let partitions: Int32
    /// A connection string of the ledger's database; nil where the shop may not read it.
    let database: String?

    /// The time between two looks.
    private static let pause = Duration.milliseconds(150)

    func run() async throws {
        var topics = try TopicReader(kafka, partitions: partitions)
        var entries = database.map { EntryReader(database: $0, partitions: partitions) }
        while true {
            try await Task.sleep(for: Self.pause)
            guard feed.isShown else { continue }
            var events = webhooks.take()
            // A broker or database that is away for a moment is asked again; nothing is lost: both keep their place.
            if let new = try? await entries?.look() { events += new }
            if let new = try? await topics.look() { events += new }
            try Task.checkCancellation()
            events.sort { ($0.time, $0.rank) < ($1.time, $1.rank) }
            feed.append(events)
        }
    }
}
