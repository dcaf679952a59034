import OrchardServiceKit

/// Checks whether topics are as they must be, and reports it to the readiness: for a service that waits for them.
public struct TopicMonitor: Service {
    private static let component = "topics"

    private let check: TopicCheck
    private let admin: KafkaAdmin
    private let readiness: Readiness

    /// - Parameter readiness: gets the component `topics`.
    public init(_ check: TopicCheck, on admin: KafkaAdmin, readiness: Readiness) {
        self.check = check
        self.admin = admin
        self.readiness = readiness
        readiness.begin(Self.component, reason: "not seen yet")
    }

    /// Returns when Kafka has answered and every topic is as it must be; what it waits for is in `/readyz`.
    public func wait() async throws {
        while await check() == false { try await Task.sleep(for: .seconds(1)) }
    }

    /// Checks each minute, and each second while something is wrong, until the service stops.
    public func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                let isReady = await check()
                try await Task.sleep(for: isReady ? .seconds(60) : .seconds(1))
            }
        }
    }

    private func check() async -> Bool {
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
