import KafkaBridge
import OrchardServiceKit

/// Reports in `/readyz`, in the log and in a metric which streams are not published, and why.
final class RelayStatus: Sendable {
    private struct State {
        var session: String? = "not connected yet"
        var streams: [TopicPartition: String] = [:]
        var refused: Set<TopicPartition> = []

        var isWorking: Bool { session == nil && streams.isEmpty }

        var reason: String {
            if let session { return session }
            guard !streams.isEmpty else { return "publishing" }
            let texts = streams.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            let more = texts.count > shown ? "; and \(texts.count - shown) more" : ""
            return texts.prefix(shown).joined(separator: "; ") + more + "; the other streams go on"
        }
    }

    private static let component = "outbox"
    /// Streams whose reasons `/readyz` shows; the others are counted.
    private static let shown = 5

    private let state = Locked(State())
    private let readiness: Readiness
    private let logger: Logger
    private let refusedStreams: Gauge

    init(readiness: Readiness, logger: Logger, metrics: MetricsRegistry) {
        self.readiness = readiness
        self.logger = logger
        refusedStreams = metrics.gauge(
            "orchard_outbox_refused_partitions",
            help: "Streams (topic and partition) whose log is ahead of the database; nothing is published there.")
        readiness.begin(Self.component, reason: "not connected yet")
    }

    /// The session works, or the reason why it does not.
    func session(_ problem: String?) {
        let isNew = state.withLock { state in
            defer { state.session = problem }
            return state.session != problem
        }
        guard isNew else { return }
        if let problem { logger.warning("the relay's session ended, trying again: \(problem)") }
        report()
    }

    func works(_ stream: TopicPartition) {
        let wasBroken = state.withLock { state in
            state.refused.remove(stream)
            return state.streams.removeValue(forKey: stream) != nil
        }
        guard wasBroken else { return }
        logger.notice("the stream is published again", ["stream": "\(stream)"])
        report()
    }

    /// The stream waits for something temporary, or for an operator.
    func fails(_ stream: TopicPartition, _ reason: String, isRefused: Bool = false) {
        let isNew = state.withLock { state in
            if isRefused { state.refused.insert(stream) } else { state.refused.remove(stream) }
            return state.streams.updateValue(reason, forKey: stream) != reason
        }
        guard isNew else { return }
        if isRefused {
            logger.critical("the outbox refuses to publish: \(reason)", ["stream": "\(stream)"])
        } else {
            logger.warning("the stream is not published: \(reason)", ["stream": "\(stream)"])
        }
        report()
    }

    /// Under the lock: of two reports at once the older must not be the last.
    private func report() {
        state.withLock { state in
            refusedStreams.set(Double(state.refused.count))
            readiness.set(Self.component, ready: state.isWorking, reason: state.reason)
        }
    }
}
