import ServiceKit

extension PostgresPool {
    /// Opens the connections and keeps them until the service stops; then waits for those that are lent.
    public func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in
                    while !isClosed, await pause(for: .milliseconds(250)) { await keepHouse() }
                }
                for slot in 0..<configuration.poolSize {
                    group.addTask { [self] in await keepConnected(slot) }
                }
            }
        } onGracefulShutdown: {
            self.close()
        }
        close()
        readiness.set("postgres", ready: false, reason: "stopped")
        try Task.checkCancellation()
    }

    private func keepConnected(_ slot: PoolMachine.Slot) async {
        var backoff = Backoff()
        var generator = SystemRandomNumberGenerator()
        while !isClosed, !Task.isCancelled {
            do {
                let connection = try await PostgresConnection.connect(configuration)
                let life = join(slot, connection)
                readiness.set("postgres", ready: true, reason: "connected")
                backoff = Backoff()
                for await _ in life {}
                await connection.close()
            } catch {
                if !isConnected, !Task.isCancelled {
                    readiness.set("postgres", ready: false, reason: error.reason)
                }
                logger.debug("no connection: \(error)")
                guard await pause(for: backoff.pause(using: &generator)) else { return }
            }
        }
    }

    /// Waits; false when the service stops first.
    private func pause(for duration: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await Task.sleep(for: duration)) != nil }
            group.addTask {
                try? await gracefulShutdown()
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
