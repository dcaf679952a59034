import OrchardServiceKit

/// A connection to PostgreSQL.
///
/// It has no thread of its own: a task that waits for the server is suspended, and one thread a process tells which
/// sockets are ready. Calls of several tasks are done one after the other, whole. Statements are prepared once a
/// connection and text; parameters and results are binary. Every call sends one pipeline and takes one round trip. A
/// cancelled task cancels its statement on the server; the connection stays in step.
public actor PostgresConnection {
    /// Held during each call: an actor takes others while one of its own is suspended.
    nonisolated let turn = ConnectionLock()
    private let configuration: PostgresConfiguration
    private var session: LibpqSession?
    private var statements = StatementCache()
    /// When the session last began to plan its statements anew.
    private var plannedAt = ContinuousClock.now
    /// BEGIN travels with the first statement of its transaction.
    private var deferredBegin: [String]? {
        didSet { shared.withLock { [isBegun = deferredBegin != nil] in $0.isBegun = isBegun } }
    }
    /// Whether the body of the open transaction has committed it.
    private var isCommitted = false
    private let shared = Locked(Shared())

    private struct Shared {
        var isOpen = false
        var isInTransaction = false
        /// A transaction is open whose BEGIN waits for a statement.
        var isBegun = false
        var isDurable = false
        /// To be run when the open transaction is committed.
        var commitActions: [@Sendable () -> Void] = []
    }

    private init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
    }

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

    /// Whether commits survive a crash of the server; false only on a cluster that is marked as a throw-away one.
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
        try await acquireTurn(before: "the statement")
        defer { turn.pass() }
        return try await run(statements, isCancellable: true)
    }

    /// Runs a script of several statements without parameters; outside a transaction they succeed or fail together.
    /// Not bound by the configured statement time-out only if the script says so (`SET LOCAL statement_timeout`).
    public func script(_ sql: String) async throws(PostgresError) {
        try await acquireTurn(before: "the script")
        defer { turn.pass() }
        if deferredBegin != nil { _ = try await run([], isCancellable: false) }
        let session = try requireSession()
        do { try await session.script(sql) } catch { throw recorded(error, of: session) }
        update(session)
    }

    /// Waits for notifications of the channels this connection listens to.
    ///
    /// - Returns: what came; empty when nothing came in time or the task was cancelled.
    public func notifications(within limit: Duration) async throws(PostgresError) -> [PostgresNotification] {
        guard await turn.acquireUnlessCancelled() else { return [] }
        defer { turn.pass() }
        let session = try requireSession()
        do { return try await session.notifications(until: .now + limit) } catch { throw recorded(error, of: session) }
    }

    /// Closes the connection, after what other tasks run on it. The server undoes an open transaction.
    public func close() async {
        await turn.acquire()
        defer { turn.pass() }
        drop()
    }

    private func drop() {
        session = nil
        deferredBegin = nil
        isCommitted = false
        shared.withLock { $0 = Shared() }
    }

    /// Sends the server a short query. A connection without an answer in time is closed.
    func answers(within limit: Duration) async -> Bool {
        guard await turn.acquireUnlessCancelled() else { return false }
        defer { turn.pass() }
        let exchange = try? await exchange([], until: .now + limit, isCancellable: true)
        return exchange.map { $0.failure == nil } ?? false
    }

    /// Checks, without a query, whether the server has closed the connection.
    func isUsable() async -> Bool {
        await turn.acquire()
        defer { turn.pass() }
        if session?.isOpen == false { drop() }
        return session != nil
    }

    // MARK: Transactions

    func begin(_ mode: PostgresTransactionMode) async throws(PostgresError) {
        await turn.acquire()
        defer { turn.pass() }
        guard !isInTransaction, deferredBegin == nil, !isCommitted else {
            throw PostgresError(.misuse, "a transaction is open already; transactions do not nest")
        }
        deferredBegin = mode.begin
    }

    /// Runs the last statements of the open transaction and commits it, in one round trip; when one of them fails, nothing
    /// is committed. The transaction's body does nothing after it.
    ///
    /// - Throws: the server's refusal; ``PostgresError/Code/commitUnknown``; ``PostgresError/Code/cancelled``.
    public func commit(after statements: [PostgresStatement]) async throws(PostgresError) {
        await turn.acquire()
        defer { turn.pass() }
        guard isInTransaction || deferredBegin != nil else {
            throw PostgresError(.misuse, "no transaction is open")
        }
        guard !Task.isCancelled else { throw PostgresError(.cancelled, "the task was cancelled before COMMIT") }
        try await performCommit(after: statements)
        isCommitted = true
    }

    /// Runs `action` when the open transaction has been committed, not when it is undone; at once outside of one. It
    /// must be quick, and may run when COMMIT's outcome is not known: it is a hint to read, and proves nothing.
    public nonisolated func onCommit(_ action: @escaping @Sendable () -> Void) {
        let runsNow = shared.withLock { shared in
            let isOpen = shared.isInTransaction || shared.isBegun
            if isOpen { shared.commitActions.append(action) }
            return !isOpen
        }
        if runsNow { action() }
    }

    /// Whether the body of the transaction has committed it; then it is over.
    func endIfCommitted() async -> Bool {
        await turn.acquire()
        defer { turn.pass() }
        defer { isCommitted = false }
        return isCommitted
    }

    func commit() async throws(PostgresError) {
        await turn.acquire()
        defer { turn.pass() }
        guard deferredBegin == nil else {
            // Nothing was sent.
            deferredBegin = nil
            for action in takeCommitActions() { action() }
            return
        }
        try await performCommit(after: [])
    }

    private func takeCommitActions() -> [@Sendable () -> Void] {
        shared.withLock { shared in
            defer { shared.commitActions = [] }
            return shared.commitActions
        }
    }

    private func performCommit(after statements: [PostgresStatement]) async throws(PostgresError) {
        let actions = takeCommitActions()
        let results: [PostgresResult]
        do {
            results = try await run(statements + [PostgresStatement("COMMIT")], isCancellable: false)
        } catch  where error.code == .connectionLost {
            for action in actions { action() }
            throw PostgresError(
                .commitUnknown, "the connection died during COMMIT (\(error.reason)): look whether it happened")
        }
        guard results.last?.tag == "COMMIT" else {
            throw PostgresError(.transactionAborted, "an earlier statement failed, so that COMMIT undid everything")
        }
        for action in actions { action() }
    }

    /// Undoes the open transaction; a connection that cannot do so is closed, which does it too.
    func rollback() async {
        await turn.acquire()
        defer { turn.pass() }
        shared.withLock { $0.commitActions = [] }
        isCommitted = false
        guard deferredBegin == nil else { return deferredBegin = nil }
        guard session != nil else { return }
        let isUndone =
            (try? await run([PostgresStatement("ROLLBACK")], isCancellable: false, within: .seconds(5))) != nil
        if !isUndone { drop() }
    }

    // MARK: Inside

    private func open() async throws(PostgresError) {
        session = try await LibpqSession.connect(configuration)
        shared.withLock { $0.isOpen = true }
        // The last one is the server's: it ends a session whose process froze while a result was sent to it, which no other
        // time-out does.
        let settings = try await run(
            [
                PostgresStatement(
                    """
                    SELECT set_config('statement_timeout', $1, false), set_config('TimeZone', 'UTC', false),
                        set_config('idle_in_transaction_session_timeout', $2, false),
                        set_config('tcp_user_timeout', '15s', false)
                    """,
                    [
                        "\(configuration.statementTimeout.map(\.milliseconds) ?? 0)",
                        "\(configuration.idleInTransactionTimeout.milliseconds)",
                    ]), PostgresStatement(ServerIdentity.query), PostgresStatement(DurabilitySettings.query),
            ], isCancellable: true)
        if configuration.plansByKey {
            _ = try await run([PostgresStatement(PostgresConfiguration.planningByKey)], isCancellable: true)
        }
        guard let row = settings.last?.rows.first else {
            throw PostgresError(.connectionFailed, "the server does not tell its settings")
        }
        let durability = try DurabilitySettings(row)
        if let refusal = durability.refusal {
            drop()
            throw PostgresError(.notDurable, refusal)
        }
        shared.withLock { $0.isDurable = durability.isDurable }
    }

    private func run(
        _ statements: [PostgresStatement], isCancellable: Bool, within limit: Duration? = nil
    ) async throws(PostgresError) -> [PostgresResult] {
        guard !isCommitted else { throw PostgresError(.misuse, "the transaction is committed: its body ends there") }
        try await discardOldPlans(isCancellable: isCancellable)
        let begin = (deferredBegin ?? []).map { PostgresStatement($0) }
        let all = begin + statements
        let keys = all.map { StatementCache.Key(sql: $0.sql, types: $0.parameterTypes) }
        let plans = self.statements.plan(keys)
        let deadline = deadline(within: limit)
        var items: [LibpqSession.Item] = []
        for (plan, statement) in zip(plans, all) {
            items.append(try LibpqSession.Item(plan: plan, statement: statement))
        }
        deferredBegin = nil
        let exchange = try await exchange(items, until: deadline, isCancellable: isCancellable)
        for position in exchange.prepared {
            if case .prepare(let name) = plans[position] { self.statements.confirm(keys[position], name) }
        }
        if let failure = exchange.failure?.error {
            // A statement whose tables have changed (0A000) or whose name is unknown (26000) is prepared anew.
            if failure.sqlState == "0A000" || failure.sqlState == "26000" { self.statements.forgetAll() }
            throw failure
        }
        return Array(exchange.results.dropFirst(begin.count))
    }

    /// Lets the server plan the session's statements again when their plans are old: see
    /// ``PostgresConfiguration/plansByKey``. In an exchange of its own: a transaction's snapshot must not begin with it.
    private func discardOldPlans(isCancellable: Bool) async throws(PostgresError) {
        guard configuration.plansByKey, !isInTransaction, .now - plannedAt >= configuration.replanInterval else {
            return
        }
        let discard = try LibpqSession.Item(plan: .unprepared, statement: PostgresStatement("DISCARD PLANS"))
        let exchange = try await exchange([discard], until: deadline(within: nil), isCancellable: isCancellable)
        if let failure = exchange.failure?.error { throw failure }
        plannedAt = .now
    }

    /// The server has its own time-out; this one is for a server that hangs.
    private func deadline(within limit: Duration?) -> ContinuousClock.Instant? {
        let longestWait = limit ?? configuration.statementTimeout.map { $0 + .seconds(10) }
        return longestWait.map { ContinuousClock.now + $0 }
    }

    private func exchange(
        _ items: [LibpqSession.Item], until deadline: ContinuousClock.Instant?, isCancellable: Bool
    ) async throws(PostgresError) -> LibpqSession.Exchange {
        let session = try requireSession()
        do throws(PostgresError) {
            let exchange = try await session.exchange(items, until: deadline, isCancellable: isCancellable)
            update(session)
            return exchange
        } catch { throw recorded(error, of: session) }
    }

    /// Waits for the turn of a call that a cancelled task does not make.
    private func acquireTurn(before call: String) async throws(PostgresError) {
        guard await turn.acquireUnlessCancelled() else {
            throw PostgresError(.cancelled, "the task was cancelled before \(call)")
        }
    }

    private func requireSession() throws(PostgresError) -> LibpqSession {
        guard let session else { throw PostgresError(.connectionLost, "the connection is closed") }
        return session
    }

    private func update(_ session: LibpqSession) {
        shared.withLock { $0.isInTransaction = session.isInTransaction }
    }

    /// Closes the connection when it is lost.
    private func recorded(_ error: PostgresError, of session: LibpqSession) -> PostgresError {
        if error.code == .connectionLost { drop() } else { update(session) }
        return error
    }
}

extension Duration {
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
