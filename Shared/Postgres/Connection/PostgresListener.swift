import OrchardServiceKit

/// Listens to channels on a connection of its own and passes on what is notified.
///
/// A notification is a hint to read the tables, and proves nothing: PostgreSQL drops those that no session listens to.
/// So each stream gets an empty payload, meaning "look at everything", after every (re)connection and when its reader
/// was too slow to get them all.
public final class PostgresListener: Service {
    private let configuration: PostgresConfiguration
    private let channels: [String]
    private let logger: Logger
    private let subscribers = Locked<[Int: Subscriber]>([:])
    private let lastSubscriber = Locked(0)

    private struct Subscriber {
        let channel: String
        let continuation: AsyncStream<String>.Continuation
    }

    /// - Parameter channels: those that are listened to; plain identifiers.
    public init(_ configuration: PostgresConfiguration, channels: [String], logger: Logger) {
        self.configuration = configuration
        self.channels = channels
        self.logger = logger.scoped(to: "listener")
    }

    /// The payloads notified on a channel from now on; an empty one means "look at everything". Begins with one.
    ///
    /// - Parameter limit: payloads kept for a slow reader.
    public func notifications(on channel: String, keeping limit: Int = 1024) -> AsyncStream<String> {
        precondition(channels.contains(channel), "the listener does not listen to \(channel)")
        let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(limit))
        let id = lastSubscriber.withLock { last in
            last += 1
            return last
        }
        continuation.onTermination = { [weak self] _ in
            self?.subscribers.withLock { $0[id] = nil }
        }
        continuation.yield("")
        subscribers.withLock { $0[id] = Subscriber(channel: channel, continuation: continuation) }
        return stream
    }

    /// Listens, and connects again when the connection is lost, until the service stops.
    public func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in await listen() }
            try? await gracefulShutdown()
            group.cancelAll()
        }
        let all = subscribers.withLock { $0.values.map(\.continuation) }
        for continuation in all { continuation.finish() }
        try Task.checkCancellation()
    }

    private func listen() async {
        var retries = RetryState()
        var generator = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            do {
                let connection = try await PostgresConnection.connect(configuration)
                for channel in channels { try await connection.execute("LISTEN \(Self.quoted(channel))") }
                retries.succeeded()
                for channel in channels { pass(PostgresNotification(channel: channel, payload: "")) }
                while !Task.isCancelled {
                    // The limit bounds how long a connection that died silently goes unnoticed.
                    let changes = try await connection.notifications(within: .seconds(30))
                    for notification in changes { pass(notification) }
                    if changes.isEmpty, !Task.isCancelled { try await connection.execute("SELECT 1") }
                }
                await connection.close()
            } catch {
                guard error.code != .cancelled else { return }
                logger.warning("not listening, trying again: \(error)")
                try? await Task.sleep(
                    for: retries.failed(isTransient: true, at: .now).pause.spread(using: &generator))
            }
        }
    }

    private func pass(_ notification: PostgresNotification) {
        let interested = subscribers.withLock { all in
            all.values.filter { $0.channel == notification.channel }.map(\.continuation)
        }
        for continuation in interested {
            if case .dropped = continuation.yield(notification.payload) { continuation.yield("") }
        }
    }

    /// A name as an SQL identifier.
    private static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// What `NOTIFY channel, 'payload'` sent.
public struct PostgresNotification: Hashable, Sendable {
    public let channel: String
    public let payload: String
}
