import OrchardServiceKit

/// A connection to PostgreSQL.
///
/// An actor on a thread of its own: libpq waits there with `poll`, never on the cooperative pool. Statements are
/// prepared once a connection and text; parameters and results are binary. Every call sends one pipeline and takes one
/// round trip. A cancelled task cancels its statement on the server; the connection stays in step.
public actor PostgresConnection {
    private let executor: ThreadExecutor
    private let wake = WakeDescriptor()
    private let configuration: PostgresConfiguration
    private var session: LibpqSession?
    private var statements = StatementCache()
    /// BEGIN travels with the first statement of its transaction.
    private var deferredBegin: String?
    private let shared = Locked(Shared())

    private struct Shared {
        var isOpen = false
        var isInTransaction = false
        var isDurable = false
        /// To be run when the open transaction is committed.
        var commitActions: [@Sendable () -> Void] = []
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
        executor = ThreadExecutor(name: "postgres")
    }

    deinit { executor.finish {} }

    /// Connects, sets the session's time-outs and makes its commits durable.
    ///
    /// - Throws: ``PostgresError/Code/connectionFailed``, ``PostgresError/Code/notDurable``,
    ///   ``PostgresError/Code/cancelled``, or the server's refusal.
    public static func connect(_ configuration: PostgresConfiguration) async throws(PostgresError) -> PostgresConnection
    {
        let connection = PostgresConnection(configuration)
        try await connection.open()
        return connection
    }

    /// Whether the connection can be used; false after ``close()`` or when its loss was seen.
    public nonisolated var isOpen: Bool { shared.withLock { $0.isOpen } }

    /// Whether what is committed survives a crash of the server; false only on a cluster that says it is a throw-away one.
    nonisolated var isDurable: Bool { shared.withLock { $0.isDurable } }

    /// Whether a transaction is open.
    nonisolated var isInTransaction: Bool { shared.withLock { $0.isInTransaction } }

    // MARK: Statements

    /// Runs a statement and gives its rows.
    public func query(
        _ sql: String, _ parameters: [any PostgresEncodable] = []
    ) async throws(PostgresError) -> [PostgresRow] {
        try await pipeline([PostgresStatement(sql, parameters)]).first?.rows ?? []
    }

    /// Runs a statement and gives the number of rows it changed.
    @discardableResult
    public func execute(
        _ sql: String, _ parameters: [any PostgresEncodable] = []
    ) async throws(PostgresError) -> Int {
        try await pipeline([PostgresStatement(sql, parameters)]).first?.affectedRows ?? 0
    }

    /// Runs statements in one round trip; outside a transaction they succeed or fail together.
    ///
    /// - Returns: a result for each statement.
    /// - Throws: the error of the first that failed; those after it were not run.
    public func pipeline(_ statements: [PostgresStatement]) async throws(PostgresError) -> [PostgresResult] {
        guard !Task.isCancelled else { throw PostgresError(.cancelled, "the task was cancelled before the statement") }
        let interruption = Interruption(wake: wake)
        return try await whileWatching(interruption) { () throws(PostgresError) in
            try run(statements, interruption)
        }
    }

    /// Runs a script of several statements without parameters; outside a transaction they succeed or fail together.
    /// Not bound by the configured statement time-out only if the script says so (`SET LOCAL statement_timeout`).
    public func script(_ sql: String) async throws(PostgresError) {
        guard !Task.isCancelled else { throw PostgresError(.cancelled, "the task was cancelled before the script") }
        if deferredBegin != nil { _ = try run([], nil) }
        let interruption = Interruption(wake: wake)
        try await whileWatching(interruption) { () throws(PostgresError) in
            try using { session throws(PostgresError) in try session.script(sql, interruption) }
        }
    }

    /// Waits for notifications of the channels this connection listens to.
    ///
    /// - Returns: what came; empty when nothing came in time or the task was cancelled.
    public func notifications(within limit: Duration) async throws(PostgresError) -> [PostgresNotification] {
        let interruption = Interruption(wake: wake)
        return try await whileWatching(interruption) { () throws(PostgresError) in
            try using { session throws(PostgresError) in
                try session.notifications(until: .now + limit, interruption)
            }
        }
    }

    /// Closes the connection. The server undoes an open transaction.
    public func close() {
        session = nil
        deferredBegin = nil
        shared.withLock { $0 = Shared() }
    }

    /// Asks the server for a sign of life; a connection that gives none in time is closed.
    func answers(within limit: Duration) async -> Bool {
        let interruption = Interruption(wake: wake)
        let answer = try? await whileWatching(interruption) { () throws(PostgresError) in
            try using { session throws(PostgresError) in
                try session.exchange([], until: .now + limit, interruption).failure == nil
            }
        }
        return answer == true
    }

    /// Looks, without asking the server, whether the connection was closed from the other side.
    func isUsable() -> Bool {
        if session?.isOpen == false { close() }
        return session != nil
    }

    // MARK: Transactions

    func begin(_ mode: PostgresTransactionMode) throws(PostgresError) {
        guard !isInTransaction, deferredBegin == nil else {
            throw PostgresError(.misuse, "a transaction is open already; transactions do not nest")
        }
        deferredBegin = mode.begin
    }

    /// Runs `action` when the open transaction has been committed, not when it is undone; at once outside of one. It must
    /// be quick, and may run when COMMIT's outcome is not known: a hint to look, never news.
    public nonisolated func onCommit(_ action: @escaping @Sendable () -> Void) {
        let runsNow = shared.withLock { shared in
            if shared.isInTransaction { shared.commitActions.append(action) }
            return !shared.isInTransaction
        }
        if runsNow { action() }
    }

    func commit() throws(PostgresError) {
        guard deferredBegin == nil else { return deferredBegin = nil }
        let actions = shared.withLock { shared in
            defer { shared.commitActions = [] }
            return shared.commitActions
        }
        let results: [PostgresResult]
        do {
            results = try run([PostgresStatement("COMMIT")], nil)
        } catch  where error.code == .connectionLost {
            for action in actions { action() }
            throw PostgresError(
                .commitUnknown, "the connection died during COMMIT (\(error.reason)): look whether it happened")
        }
        guard results.first?.tag == "COMMIT" else {
            throw PostgresError(.transactionAborted, "an earlier statement failed, so that COMMIT undid everything")
        }
        for action in actions { action() }
    }

    /// Undoes the open transaction; a connection that cannot do so is closed, which does it too.
    func rollback() {
        shared.withLock { $0.commitActions = [] }
        guard deferredBegin == nil else { return deferredBegin = nil }
        guard session != nil else { return }
        if (try? run([PostgresStatement("ROLLBACK")], nil, within: .seconds(5))) == nil { close() }
    }

    // MARK: Inside

    private func open() async throws(PostgresError) {
        let interruption = Interruption(wake: wake)
        session = try await whileWatching(interruption) { () throws(PostgresError) in
            try LibpqSession(configuration, wake: wake, interruption: interruption)
        }
        shared.withLock { $0.isOpen = true }
        let settings = try run(
            [
                PostgresStatement(
                    """
                    SELECT set_config('statement_timeout', $1, false), set_config('TimeZone', 'UTC', false),
                        set_config('idle_in_transaction_session_timeout', $2, false)
                    """,
                    [
                        "\(configuration.statementTimeout.map(\.milliseconds) ?? 0)",
                        "\(configuration.idleInTransactionTimeout.milliseconds)",
                    ]), PostgresStatement(DurabilitySettings.query),
            ], interruption)
        if configuration.looksUpByKey {
            _ = try run(
                [
                    PostgresStatement(
                        """
                        SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
                            set_config('enable_mergejoin', 'off', false),
                            set_config('plan_cache_mode', 'force_generic_plan', false)
                        """)
                ], interruption)
        }
        guard let row = settings.last?.rows.first else {
            throw PostgresError(.connectionFailed, "the server does not tell its settings")
        }
        let durability = try DurabilitySettings(row)
        if let refusal = durability.refusal {
            close()
            throw PostgresError(.notDurable, refusal)
        }
        shared.withLock { $0.isDurable = durability.isDurable }
    }

    private func run(
        _ statements: [PostgresStatement], _ interruption: Interruption?, within limit: Duration? = nil
    ) throws(PostgresError) -> [PostgresResult] {
        let begin = deferredBegin.map { [PostgresStatement($0)] } ?? []
        let all = begin + statements
        let keys = all.map { StatementCache.Key(sql: $0.sql, types: $0.parameterTypes) }
        let plans = self.statements.plan(keys)
        // The server has its own time-out; this one is for a server that hangs.
        let patience = limit ?? configuration.statementTimeout.map { $0 + .seconds(10) }
        let deadline = patience.map { ContinuousClock.now + $0 }
        var items: [LibpqSession.Item] = []
        for (plan, statement) in zip(plans, all) {
            items.append(try LibpqSession.Item(plan: plan, statement: statement))
        }
        deferredBegin = nil
        let exchange = try using { session throws(PostgresError) in
            try session.exchange(items, until: deadline, interruption)
        }
        for position in exchange.prepared {
            if case .prepare(let name) = plans[position] { self.statements.confirm(keys[position], name) }
        }
        if let failure = exchange.failure?.error {
            // A statement whose tables were changed under it (0A000) or whose name is gone (26000) is prepared anew.
            if failure.sqlState == "0A000" || failure.sqlState == "26000" { self.statements.forgetAll() }
            throw failure
        }
        return Array(exchange.results.dropFirst(begin.count))
    }

    /// Runs `body` on the session, and closes it when `body` finds it lost.
    private func using<Value>(_ body: (LibpqSession) throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        guard let session else { throw PostgresError(.connectionLost, "the connection is closed") }
        do {
            let value = try body(session)
            shared.withLock { $0.isInTransaction = session.isInTransaction }
            return value
        } catch {
            if error.code == .connectionLost {
                close()
            } else {
                shared.withLock { $0.isInTransaction = session.isInTransaction }
            }
            throw error
        }
    }

    /// Runs `body`, which blocks this actor's thread, and raises `interruption` when the task is cancelled meanwhile.
    private func whileWatching<Value: Sendable>(
        _ interruption: Interruption, _ body: () throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        // The closure names self and so belongs to the actor: else it would run, and block, on the cooperative pool.
        let result = await withTaskCancellationHandler {
            self.result(of: body)
        } onCancel: {
            interruption.raise()
        }
        return try result.get()
    }

    private func result<Value: Sendable>(of body: () throws(PostgresError) -> Value) -> Result<Value, PostgresError> {
        assertIsolated("libpq waits on the connection's own thread")
        do throws(PostgresError) { return .success(try body()) } catch { return .failure(error) }
    }
}

extension Duration {
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
