import Contracts
import KafkaBridge
import ServiceKit

/// Looks whether the topics are as they must be, and says so to the readiness; waits for them as for the brokers.
struct TopicWatch: Service {
    static let component = "topics"

    let admin: KafkaAdmin
    let check: TopicCheck
    let readiness: Readiness

    /// - Parameter partitions: the number that order-ledger opens orders with; the topics have at least as many.
    init(admin: KafkaAdmin, partitions: Int32, readiness: Readiness) {
        self.admin = admin
        check = TopicCheck(
            [Topic.charges, .journal].map {
                TopicSpecification(name: $0.name, partitions: partitions, settings: $0.settings)
            })
        self.readiness = readiness
    }

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
        do throws(KafkaError) {
            let problems = try await check.problems(on: admin)
            let blocking = problems.filter(\.preventsStart)
            let words = (blocking.isEmpty ? problems : blocking).map(\.description).joined(separator: "; ")
            readiness.set(
                Self.component, ready: blocking.isEmpty, reason: words.isEmpty ? "as they must be" : words)
            return blocking.isEmpty
        } catch {
            readiness.set(Self.component, ready: false, reason: "the brokers do not tell: \(error.reason)")
            return false
        }
    }
}
