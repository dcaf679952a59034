import OrchardServiceKit

/// Lets the embedded broker be frozen only while no killed service is coming back: its consumer groups forget a member that
/// joins while it is frozen, which no real Kafka does.
final class BrokerTurn: Sendable {
    private struct State {
        var returning = 0
        var isTaken = false
    }
    private let state = Locked(State())

    /// Kills a service and waits for it, when the broker is not frozen or about to be.
    func restart<Value>(_ body: () async throws -> Value) async throws -> Value {
        while !state.withLock({ state in
            if !state.isTaken { state.returning += 1 }
            return !state.isTaken
        }) { try await Task.sleep(for: .milliseconds(20)) }
        defer { state.withLock { $0.returning -= 1 } }
        return try await body()
    }

    /// Freezes the broker when every service is there.
    func freeze<Value>(_ body: () async throws -> Value) async throws -> Value {
        state.withLock { $0.isTaken = true }
        defer { state.withLock { $0.isTaken = false } }
        while state.withLock({ $0.returning > 0 }) { try await Task.sleep(for: .milliseconds(20)) }
        return try await body()
    }
}
