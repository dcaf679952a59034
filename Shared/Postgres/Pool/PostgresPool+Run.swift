import OrchardServiceKit

extension PostgresPool {
    /// Opens the connections and keeps them until the service stops; then waits for those that are lent.
    ///
    /// - Throws: ``PostgresError/Code/notDurable`` when the first server that answers may lose what it commits; a later
    ///   one, after a failover, is refused, and `/readyz` shows why.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { [self] in
                    while !isClosed, await pause(for: .milliseconds(250)) { await maintain() }
                }
                group.addTask { [self] in await monitorServer() }
                for slot in 0..<configuration.poolSize {
                    group.addTask { [self] in try await keepConnected(slot) }
                }
            }
        } onGracefulShutdown: {
            self.close()
        }
        close()
        readiness.set("postgres", ready: false, reason: "stopped")
        try Task.checkCancellation()
    }

    private func keepConnected(_ slot: PoolMachine.Slot) async throws(PostgresError) {
        var retries = RetryState()
        var generator = SystemRandomNumberGenerator()
        while !isClosed, !Task.isCancelled {
            do {
                let connection = try await PostgresConnection.connect(configuration)
                let life = join(slot, connection)
                hasConnected.withLock { $0 = true }
                retries.succeeded()
                for await _ in life {}
                await connection.close()
            } catch {
                if !Task.isCancelled { missed(error) }
                if error.code == .notDurable {
                    logger.critical("the database is not used: \(error.reason)")
                    guard hasConnected.withLock({ $0 }) else { throw error }
                }
                logger.debug("no connection: \(error)")
                // It counts as transient: which server accepts writes, and which logins, changes.
                let pause = retries.failed(isTransient: true, at: .now).pause.spread(using: &generator)
                guard await self.pause(for: pause) else { return }
            }
        }
    }

    /// Sends the server a short query now and then, on a connection of its own: a server that hangs keeps its
    /// connections open, and lent ones report nothing before their statements' time is over.
    private func monitorServer() async {
        var probe: PostgresConnection?
        while !isClosed, await pause(for: .seconds(2)) {
            // Without any connection `keepConnected` reports why.
            guard isConnected else { continue }
            if await probe?.answers(within: .seconds(3)) != true {
                do {
                    probe = try await PostgresConnection.connect(configuration)
                } catch {
                    probe = nil
                    if !isClosed { readiness.set("postgres", ready: false, reason: error.reason) }
                    continue
                }
            }
            if !isClosed, let probe { readiness.set("postgres", ready: true, reason: Self.text(probe)) }
        }
        await probe?.close()
    }

    static func text(_ connection: PostgresConnection) -> String {
        connection.isDurable
            ? "connected" : "connected to a throw-away cluster, which may lose what was committed"
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

extension PostgresPool {
    /// Why nothing can be written: the server does not answer, or accepts no writes. nil when it can.
    ///
    /// It uses a connection of its own, so that a pool whose connections are all lent does not look like a server that
    /// does not answer.
    public func obstacle() async -> String? {
        do throws(PostgresError) {
            let connection = try await PostgresConnection.connect(configuration)
            let rows = try await connection.query(
                "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS is_read_only"
            )
            await connection.close()
            return try rows.first?.bool("is_read_only") == true ? "the database takes no writes" : nil
        } catch {
            return "the database: \(error.reason)"
        }
    }
}
