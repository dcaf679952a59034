import OrchardPostgres

extension PostgresPool {
    /// Runs `body` while some connections are lent: all of them, so that what needs one gathers meanwhile.
    public func whileLent(
        _ count: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        try await withConnection { _ in try await whileLent(count - 1, body) }
    }
}
