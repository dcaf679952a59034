extension PostgresConnection {
    /// Runs `body` in a transaction: committed when it returns, undone when it throws.
    ///
    /// BEGIN travels with the first statement, and COMMIT with the last where the body calls
    /// ``PostgresConnection/commit(after:)``. COMMIT is not cancelled when the task is: what is sent is awaited.
    ///
    /// - Throws: what `body` throws; ``PostgresError/Code/commitUnknown`` when the connection died during COMMIT;
    ///   ``PostgresError/Code/transactionAborted`` when a statement's error was swallowed by `body`.
    @discardableResult
    public func transaction<Value: Sendable>(
        _ mode: PostgresTransactionMode = .readCommitted, isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        try await begin(mode)
        let value: Value
        do {
            value = try await body(self)
        } catch {
            await rollback()
            throw error
        }
        guard await !endIfCommitted() else { return value }
        guard !Task.isCancelled else {
            await rollback()
            throw PostgresError(.cancelled, "the task was cancelled before COMMIT")
        }
        try await commit()
        return value
    }
}
