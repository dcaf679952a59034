import Foundation
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Reports the age of the oldest record that a service has not processed yet, as a metric and in `/readyz`: the first
/// sign that a partition's consumer is too slow, has stopped, or is gone.
///
/// Every instance checks the whole topic, also partitions without an owner; dashboards take the maximum over them. A
/// record is read once while it is the oldest. Nothing is read when nothing waits.
public struct UnreadRecordMonitor: Service {
    /// How many partitions are checked at the same time.
    private static let width = 8

    private let inbox: Inbox
    private let noun: String
    private let database: PostgresPool
    private let reader: KafkaReader
    private let interval: Duration
    private let gauges: [Int32: Gauge]
    private let readiness: Readiness
    private let logger: Logger

    /// - Parameters:
    ///   - noun: the singular name of the topic's records, such as "command"; the readiness gets the component `unread
    ///     NOUNs`.
    ///   - prefix: of the metric `PREFIX_oldest_unread_NOUN_age_seconds`.
    ///   - reader: one of its own, so that a partition without a leader delays no other reader.
    public init(
        _ inbox: Inbox, of noun: String, prefix: String, partitions: Int32, database: PostgresPool, reader: KafkaReader,
        every interval: Duration = .seconds(15), readiness: Readiness, logger: Logger, metrics: MetricsRegistry
    ) {
        self.inbox = inbox
        self.noun = noun
        self.database = database
        self.reader = reader
        self.interval = interval
        self.readiness = readiness
        self.logger = logger.scoped(to: "inbox")
        gauges = Dictionary(
            uniqueKeysWithValues: (0..<partitions).map { partition in
                let gauge = metrics.gauge(
                    "\(prefix)_oldest_unread_\(noun)_age_seconds",
                    help: "Time since the oldest unread \(noun) was written; 0 when none waits.",
                    labels: [("partition", "\(partition)")])
                return (partition, gauge)
            })
        readiness.set("unread \(noun)s", ready: true, reason: "not checked yet")
    }

    /// Checks until the service stops.
    public func run() async throws {
        await repeatUntilGracefulShutdown(every: interval, from: State()) { state in
            await check(&state) { Int64(Date().timeIntervalSince1970 * 1_000) }
        }
    }

    /// What one check leaves to the next.
    struct State {
        var records = UnreadRecords()
        /// Nothing is processed while the database does not answer: the last watermarks stay right.
        var watermarks: [Int32: Int64]?
        var wasLate = false
    }

    /// Checks all partitions once.
    ///
    /// - Parameter clock: milliseconds since 1970.
    func check(_ state: inout State, _ clock: @Sendable () -> Int64) async {
        if let now = try? await database.withConnection({ try await inbox.watermarks(on: $0) }) {
            state.watermarks = now.mapValues(\.nextOffset)
        }
        guard let watermarks = state.watermarks, !Task.isCancelled else { return }
        for (partition, finding) in await findings(watermarks, state.records) { state.records.set(partition, finding) }
        guard !Task.isCancelled else { return }
        let time = clock()
        for (partition, gauge) in gauges { state.records.age(of: partition, at: time).map(gauge.set) }
        let (text, isLate) = state.records.text(of: noun, in: inbox.topic, at: time)
        if isLate, !state.wasLate { logger.warning("\(text)") }
        if !isLate, state.wasLate { logger.notice("\(text)") }
        state.wasLate = isLate
        let component = "unread \(noun)s"
        if isLate {
            readiness.warn(component, reason: text)
        } else {
            readiness.set(component, ready: true, reason: text)
        }
    }

    private func findings(
        _ watermarks: [Int32: Int64], _ known: UnreadRecords
    ) async -> [(Int32, UnreadRecords.Finding)] {
        // A partition without a watermark was never read.
        var due = gauges.keys.sorted().map { (partition: $0, next: watermarks[$0] ?? 0) }
            .filter { !known.isKnown($0.partition, next: $0.next) }[...]
        return await withTaskGroup(of: (Int32, UnreadRecords.Finding).self) { group in
            func addNext() {
                guard let (partition, next) = due.popFirst() else { return }
                group.addTask { (partition, await finding(partition, next)) }
            }
            for _ in 0..<Self.width { addNext() }
            var found: [(Int32, UnreadRecords.Finding)] = []
            while let one = await group.next() {
                found.append(one)
                addNext()
            }
            return found
        }
    }

    private func finding(_ partition: Int32, _ next: Int64) async -> UnreadRecords.Finding {
        do {
            guard let record = try await reader.firstRecord(of: TopicPartition(inbox.topic, partition), from: next)
            else { return .none }
            guard record.timestamp >= 0 else { return .unknown("the record at \(record.offset) has no time") }
            return .oldest(next: next, writtenAt: record.timestamp)
        } catch {
            return .unknown(error.reason)
        }
    }
}
