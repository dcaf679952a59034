import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Tries again while Kafka or the database is away, and says so in `/readyz` and the log.
struct Patience: Sendable {
    /// What waits, as `/readyz` names it.
    let component: String
    let readiness: Readiness
    let logger: Logger

    /// Runs `body` until it succeeds or fails in a way that time does not heal.
    ///
    /// - Parameter reason: said when it has succeeded.
    func run<Value>(_ reason: String, _ body: () async throws -> Value) async throws -> Value {
        var pause = Duration.milliseconds(100)
        while true {
            do {
                let value = try await body()
                readiness.set(component, ready: true, reason: reason)
                return value
            } catch let error where Self.passes(error) {
                readiness.set(component, ready: false, reason: "waits: \(error)")
                logger.warning("\(component) waits", ["error": "\(error)"])
                try await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(5))
            }
        }
    }

    /// Whether an error passes by itself, so that what failed may be done again from its beginning.
    private static func passes(_ error: any Error) -> Bool {
        switch error {
        case let error as KafkaError: error.isRetriable
        // A pool that was closed is never opened again.
        case let error as PostgresError: error.passes && error.code != .poolClosed
        default: false
        }
    }
}
