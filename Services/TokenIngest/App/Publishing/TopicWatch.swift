import Contracts
import KafkaBridge
import ServiceKit

/// Looks whether the topics are there with the same number of partitions, and says so to the readiness.
struct TopicWatch: Service {
    static let component = "topics"

    let admin: KafkaAdmin
    let readiness: Readiness

    func run() async throws {
        readiness.set(Self.component, ready: false, reason: "not seen yet")
        try? await cancelWhenGracefulShutdown {
            while true {
                let isReady = await look()
                try await Task.sleep(for: isReady ? .seconds(60) : .seconds(1))
            }
        }
    }

    private func look() async -> Bool {
        do {
            let counts = try await admin.partitionCounts()
            let problem = Self.problem(counts)
            readiness.set(
                Self.component, ready: problem == nil, reason: problem ?? "charges and journal are there")
            return problem == nil
        } catch {
            readiness.set(Self.component, ready: false, reason: "the brokers do not tell: \(error.reason)")
            return false
        }
    }

    /// What is wrong with the topics; nil when nothing is.
    static func problem(_ counts: [String: Int32]) -> String? {
        let wanted = [Topic.charges.name, Topic.journal.name]
        let missing = wanted.filter { counts[$0] == nil }
        guard missing.isEmpty else {
            return "missing: \(missing.joined(separator: ", ")); run order-ledger topics create"
        }
        guard Set(wanted.map { counts[$0] }).count == 1 else {
            return "\(wanted.joined(separator: " and ")) have different numbers of partitions"
        }
        return nil
    }
}
