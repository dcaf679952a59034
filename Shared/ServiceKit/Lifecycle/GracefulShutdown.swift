/// The one-way signal that makes a task tree finish its work in progress and return.
public final class GracefulShutdown: Sendable {
    /// The signal of the service that the current task belongs to, set by ``ServiceGroup``.
    @TaskLocal public static var current: GracefulShutdown?

    private struct State {
        var begun = false
        var nextID = 0
        var handlers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Locked(State())

    public init() {}

    /// Whether the shutdown was requested.
    public var hasBegun: Bool { state.withLock { $0.begun } }

    /// Requests the shutdown. Each registered handler runs once; a second call does nothing.
    public func begin() {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.begun else { return [] }
            state.begun = true
            defer { state.handlers = [:] }
            return state.handlers.sorted { $0.key < $1.key }.map(\.value)
        }
        for handler in handlers { handler() }
    }

    /// Runs `handler` when the shutdown begins (at once when it has begun).
    ///
    /// - Returns: a number for ``remove(_:)``.
    func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        let (id, runNow) = state.withLock { state -> (Int, Bool) in
            state.nextID += 1
            if state.begun { return (state.nextID, true) }
            state.handlers[state.nextID] = handler
            return (state.nextID, false)
        }
        if runNow { handler() }
        return id
    }

    func remove(_ id: Int) {
        state.withLock { $0.handlers[id] = nil }
    }
}

/// Waits until the graceful shutdown of the current service begins.
///
/// - Throws: `CancellationError` when the task is cancelled first.
public func gracefulShutdown() async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    await withGracefulShutdownHandler {
        for await _ in stream {}
    } onGracefulShutdown: {
        continuation.finish()
    }
    try Task.checkCancellation()
}

/// Runs `operation`, and `handler` as soon as the graceful shutdown of the current service begins.
public func withGracefulShutdownHandler<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Result,
    onGracefulShutdown handler: @escaping @Sendable () -> Void
) async rethrows -> Result {
    guard let shutdown = GracefulShutdown.current else { return try await operation() }
    let id = shutdown.add(handler)
    defer { shutdown.remove(id) }
    return try await operation()
}

/// Runs `operation` and cancels it as soon as the graceful shutdown of the current service begins: for loops without
/// work to finish, such as timers.
///
/// - Throws: what the operation throws, usually `CancellationError` after the shutdown.
public func cancelWhenGracefulShutdown<Result: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try? await gracefulShutdown()
            return nil
        }
        let first = try await group.next() ?? nil
        group.cancelAll()
        if let first { return first }
        guard let result = try await group.next() ?? nil else { throw CancellationError() }
        return result
    }
}
