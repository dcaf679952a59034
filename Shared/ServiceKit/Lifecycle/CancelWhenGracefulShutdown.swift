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
