/// Runs `body` again and again until the graceful shutdown of the current service begins, which cancels the run or the
/// pause in progress.
///
/// - Parameter interval: the pause after each run.
public func repeatUntilGracefulShutdown(
    every interval: Duration, _ body: @escaping @Sendable () async -> Void
) async {
    await repeatUntilGracefulShutdown(every: interval, from: ()) { _ in await body() }
}

/// The same with a state that each run leaves to the next.
public func repeatUntilGracefulShutdown<State: Sendable>(
    every interval: Duration, from initial: State, _ body: @escaping @Sendable (inout State) async -> Void
) async {
    // Only the pause throws, and only when it is cancelled.
    try? await cancelWhenGracefulShutdown {
        var state = initial
        while true {
            await body(&state)
            try await Task.sleep(for: interval)
        }
    }
}

/// Pauses, until the graceful shutdown of the current service begins at the latest.
public func pauseUntilGracefulShutdown(for duration: Duration) async {
    try? await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
}
