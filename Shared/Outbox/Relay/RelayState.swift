import KafkaBridge
import OrchardServiceKit

/// What the tasks of a relay share: the session, the streams that it holds, and the tasks to wake.
final class RelayState: Sendable {
    private struct Content {
        var session: RelaySession?
        var held: Set<TopicPartition> = []
        var tasks: [TopicPartition: WakeSignal] = [:]
        /// Streams that got events in this process since the last call.
        var woken: Set<TopicPartition> = []
        /// Streams of this session that a process has named since: another one, or this one, which gets its own
        /// notifications too.
        var named: Set<TopicPartition> = []
        /// Whether another process may have written events of any stream.
        var mustPoll = false
        var isLast = false
    }

    /// What has happened since the last call.
    struct Changes: Hashable {
        /// Streams that got events in this process.
        var own: Set<TopicPartition> = []
        /// Streams of this session that were named in a notification.
        var named: Set<TopicPartition> = []
        var mustPoll = false
    }

    /// A stream that needs a task, and the signal that wakes the task.
    struct Find: Sendable {
        let stream: TopicPartition
        let signal: WakeSignal
    }

    private let content = Locked(Content())
    /// Wakes the session's task on every change and every tick.
    let signal = WakeSignal()

    // MARK: Wake-ups

    func tick() { signal.wake() }

    func wake(_ streams: Set<TopicPartition>) {
        content.withLock { $0.woken.formUnion(streams) }
        signal.wake()
    }

    /// A process wrote events. A stream that this session does not hold is no change: whoever wrote to it claims it, or
    /// wakes who holds it; if nobody does, the next poll finds it. So a name that nobody knows costs no query.
    ///
    /// - Parameter names: ``StreamNames`` of the streams.
    func notified(_ names: String) {
        let streams = StreamNames.streams(names)
        content.withLock { content in
            if let streams {
                content.named.formUnion(streams.intersection(content.held))
            } else {
                content.mustPoll = true
            }
        }
        signal.wake()
    }

    func nextChanges() -> Changes {
        content.withLock { content in
            defer { (content.woken, content.named, content.mustPoll) = ([], [], false) }
            return Changes(own: content.woken, named: content.named, mustPoll: content.mustPoll)
        }
    }

    // MARK: The session

    /// A new session holds nothing: a lock that the session before took while a task reported its end is gone.
    func opened(_ session: RelaySession) {
        content.withLock { ($0.session, $0.held) = (session, []) }
    }

    /// The session has ended, and its locks with it. A task may report it late, when another session has begun: that
    /// one stays.
    func lost(_ session: RelaySession) {
        content.withLock { content in
            guard content.session?.connection === session.connection else { return }
            (content.session, content.held) = (nil, [])
        }
        signal.wake()
    }

    var held: Set<TopicPartition> { content.withLock { $0.held } }

    /// The session while it holds the stream's lock.
    func session(holding stream: TopicPartition) -> RelaySession? {
        content.withLock { $0.held.contains(stream) ? $0.session : nil }
    }

    /// Notes that the session holds the locks of these streams.
    ///
    /// - Returns: those that have no task yet.
    func hold(_ streams: [TopicPartition]) -> [Find] {
        content.withLock { content in
            content.held.formUnion(streams)
            var finds: [Find] = []
            for stream in streams where content.tasks[stream] == nil {
                let signal = WakeSignal()
                content.tasks[stream] = signal
                finds.append(Find(stream: stream, signal: signal))
            }
            return finds
        }
    }

    // MARK: The streams' tasks

    func wakeTasks(_ streams: Set<TopicPartition>) {
        for task in content.withLock({ content in streams.compactMap { content.tasks[$0] } }) { task.wake() }
    }

    func ended(_ stream: TopicPartition) {
        content.withLock { $0.tasks[stream] = nil }
        signal.wake()
    }

    /// Whether streams are still being published.
    var hasTasks: Bool { content.withLock { !$0.tasks.isEmpty } }

    /// No new work is searched for: each task ends when nothing waits for it, or when it fails.
    func finish() {
        let tasks = content.withLock { content in
            content.isLast = true
            return Array(content.tasks.values)
        }
        for task in tasks { task.wake() }
    }

    var isLast: Bool { content.withLock { $0.isLast } }
}
