import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// A service's command `recover`: reports what each partition needs, and does it when an operator decides so.
public struct RecoveryRun: Sendable {
    private let recovery: PartitionRecovery
    private let partitions: Int32

    public init(_ recovery: PartitionRecovery, partitions: Int32) {
        self.recovery = recovery
        self.partitions = partitions
    }

    /// - Parameters:
    ///   - isRestored: whether an operator decides that this database goes on; else nothing is changed.
    ///   - print: takes a line for each partition.
    /// - Returns: the exit status: 0 when each partition can go on now, 1 when one must be recovered, which `serve` does
    ///   by itself after a promotion.
    public func run(isRestored: Bool, print: (String) -> Void) async throws -> Int32 {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recovery.database.run() }
            defer { group.cancelAll() }
            // All of Kafka must answer, else nothing is done.
            _ = try await recovery.admin.clusterID()
            var status: Int32 = 0
            for partition in 0..<partitions {
                do {
                    let (text, goesOn) = try await isRestored ? recover(partition) : compare(at: partition)
                    print(text)
                    if !goesOn { status = 1 }
                } catch  where PartitionRecovery.isOfKafka(error) || error is InboxError {
                    // A partition without a leader, or refused for its own reason, does not stop the others.
                    print(Self.text(error, partition, isRestored: isRestored))
                    status = 1
                }
            }
            return status
        }
    }

    private func recover(_ partition: Int32) async throws -> (text: String, goesOn: Bool) {
        let report = try await recovery.recover(partition, isRestored: true)
        return (report.map { Self.text($0, partition) } ?? "partition \(partition): nothing to recover", true)
    }

    private func compare(at partition: Int32) async throws -> (text: String, goesOn: Bool) {
        let situation = try await recovery.situation(of: partition)
        let streams = try await recovery.streams(of: partition)
        guard situation.need == .nothing, streams.allSatisfy({ $0 == .compared(events: 0) }) else {
            return (Self.text(situation, streams), false)
        }
        return ("partition \(partition): goes on as it is", true)
    }

    static func text(_ error: any Error, _ partition: Int32, isRestored: Bool) -> String {
        let advice = RetryPolicy.isTransient(error) ? ", run this again" : ""
        return "partition \(partition): \(isRestored ? "not recovered" : "not checked")\(advice): \(error)"
    }

    private static func text(_ report: PartitionRecovery.Report, _ partition: Int32) -> String {
        "partition \(partition): recovered with \(report.events) events of the log, marked at offset \(report.mark)"
            + report.left.map { "; left to the relay: \($0)" }.joined()
    }

    private static func text(_ situation: RecoverySituation, _ streams: [StreamSituation]) -> String {
        var (events, problems) = (0, "")
        for stream in streams {
            switch stream {
            case .compared(let count): events += count
            case .notCompared(let reason): problems += "; \(reason)"
            }
        }
        let text =
            switch situation.need {
            case .promotion: "a standby was promoted"
            case .nothing where events == 0: "goes on"
            default: "restored"
            }
        return "partition \(situation.partition): \(text), stands "
            + "at \(situation.place); the log has \(events) events of ours that it does not know, and commands up to "
            + "offset \(situation.high)\(problems)"
    }
}

extension RecoverySituation {
    fileprivate var place: String {
        watermark.map { "offset \($0.nextOffset)" } ?? "no offset, because it has never seen the partition"
    }
}
