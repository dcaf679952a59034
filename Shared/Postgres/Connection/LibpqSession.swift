import CLibpq
import Glibc

/// One libpq connection in non-blocking pipeline mode, waited for with `poll`.
///
/// It blocks its caller, so it is used on the thread of its ``PostgresConnection`` only.
final class LibpqSession: @unchecked Sendable {
    // @unchecked: PGconn is not thread-safe; only the actor's thread calls it, and deinit, when nobody else can.
    let connection: OpaquePointer
    let farewell = Farewell()
    private let wake: WakeDescriptor

    /// What one pipeline gave.
    struct Exchange {
        /// Of each statement that was done.
        var results: [PostgresResult] = []
        /// Positions in the pipeline whose preparation succeeded.
        var prepared: [Int] = []
        /// Position and error of the first statement that failed; the server skipped those after it.
        var failure: (position: Int, error: PostgresError)?
    }

    struct Item {
        let plan: StatementCache.Plan
        let statement: PostgresStatement
        let parameters: ParameterBlock

        /// - Throws: what cannot be stored, before anything of the pipeline is sent.
        init(plan: StatementCache.Plan, statement: PostgresStatement) throws(PostgresError) {
            self.plan = plan
            self.statement = statement
            do throws(PostgresError) { parameters = try ParameterBlock(statement.parameters) } catch {
                throw error.during(statement.sql)
            }
        }
    }

    /// Connects.
    ///
    /// - Throws: ``PostgresError/Code/connectionFailed``, ``PostgresError/Code/cancelled``.
    init(
        _ configuration: PostgresConfiguration, wake: WakeDescriptor, interruption: Interruption
    ) throws(PostgresError) {
        self.wake = wake
        // Later keywords win: the connection string may say otherwise.
        let keywords = [
            ("application_name", configuration.applicationName), ("tcp_user_timeout", "10000"),
            ("keepalives_idle", "30"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("dbname", configuration.connectionString), ("client_encoding", "UTF8"),
        ]
        guard let connection = Self.start(keywords) else {
            throw PostgresError(.connectionFailed, "out of memory")
        }
        self.connection = connection
        listenForFarewell()
        let deadline = ContinuousClock.now + configuration.connectTimeout
        while true {
            guard PQstatus(connection) != CONNECTION_BAD else { throw connectionFailed() }
            let events: Int16
            switch PQconnectPoll(connection) {
            case PGRES_POLLING_OK:
                guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
                    throw connectionFailed()
                }
                return
            case PGRES_POLLING_READING: events = Int16(POLLIN)
            case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
            default: throw connectionFailed()
            }
            switch wait(for: events, until: deadline, interruption) {
            case .ready: continue
            case .deadline:
                throw PostgresError(.connectionFailed, "no connection within \(configuration.connectTimeout)")
            case .interrupted: throw PostgresError(.cancelled, "cancelled while connecting")
            }
        }
    }

    deinit { PQfinish(connection) }

    private static func start(_ keywords: [(String, String)]) -> OpaquePointer? {
        let names = keywords.map { strdup($0.0) }
        let values = keywords.map { strdup($0.1) }
        defer { (names + values).forEach { free($0) } }
        let constNames = names.map { UnsafePointer($0) } + [nil]
        let constValues = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(constNames, constValues, 1)
    }

    private func connectionFailed() -> PostgresError {
        // libpq's message names host, port, user and database; for a string it cannot read it quotes a part of it.
        guard let host = PQhost(connection), host.pointee != 0 else {
            return PostgresError(.connectionFailed, "the connection string cannot be read, or names no server")
        }
        return PostgresError(.connectionFailed, Self.oneLine(PQerrorMessage(connection)))
    }

    /// libpq's words for what went wrong last.
    var message: String { Self.oneLine(PQerrorMessage(connection)) }

    // MARK: State

    /// Whether the connection is alive, as far as can be seen without asking the server. Takes what has arrived: the
    /// server's farewell, and only then the end of the stream.
    var isOpen: Bool {
        var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        while PQstatus(connection) == CONNECTION_OK {
            guard poll(&socket, 1, 0) > 0 else { return true }
            guard PQconsumeInput(connection) == 1 else { return false }
            _ = PQisBusy(connection)
        }
        return false
    }

    /// Looks before something is sent: afterwards libpq would only tell that the stream has ended, and not why.
    private func requireOpen() throws(PostgresError) {
        guard isOpen else { throw lost("") }
    }

    /// Whether the server is inside a transaction (or in a state not known).
    var isInTransaction: Bool { PQtransactionStatus(connection) != PQTRANS_IDLE }

    /// The server's number for this session (`pg_backend_pid()`).
    var backendPID: Int32 { PQbackendPID(connection) }

    // MARK: Work

    /// Sends everything in one go, ended by a sync, and collects the results.
    ///
    /// - Parameter interruption: when raised, the running statement is cancelled on the server; nil: cannot be.
    /// - Throws: ``PostgresError/Code/connectionLost``; what the server refuses is in the exchange.
    func exchange(
        _ items: [Item], until deadline: ContinuousClock.Instant?, _ interruption: Interruption?
    ) throws(PostgresError) -> Exchange {
        try requireOpen()
        for item in items { try send(item) }
        try sent(PQpipelineSync(connection))
        var exchange = Exchange()
        var watch = Watch(deadline: deadline, interruption: interruption)
        try flush(&watch)
        // In the order of the replies: a preparation answers before the statement it is for.
        var replies: [(position: Int, isPreparation: Bool)] = []
        for (position, item) in items.enumerated() {
            if case .prepare = item.plan { replies.append((position, true)) }
            replies.append((position, false))
        }
        var next = 0
        while true {
            guard let pointer = try nextResult(&watch) else {
                next += 1
                guard next <= replies.count else { throw lost("the server answered out of turn") }
                continue
            }
            switch PQresultStatus(pointer) {
            case PGRES_PIPELINE_SYNC:
                PQclear(pointer)
                if watch.wasInterrupted, exchange.failure?.error.sqlState == "57014" {
                    exchange.failure?.error = PostgresError(.cancelled, "the task was cancelled", sqlState: "57014")
                }
                return exchange
            case PGRES_COMMAND_OK where next < replies.count && replies[next].isPreparation:
                PQclear(pointer)
                exchange.prepared.append(replies[next].position)
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                exchange.results.append(PostgresResult(owning: pointer))
            case PGRES_PIPELINE_ABORTED:
                PQclear(pointer)
            case PGRES_FATAL_ERROR, PGRES_NONFATAL_ERROR:
                let error = Self.serverError(pointer)
                PQclear(pointer)
                guard PQstatus(connection) == CONNECTION_OK else { throw lost(error.reason) }
                guard next < replies.count else { throw lost("the server answered out of turn") }
                if exchange.failure == nil {
                    let position = replies[next].position
                    exchange.failure = (position, error.during(items[position].statement.sql))
                }
            default:
                PQclear(pointer)
                throw lost("COPY is not for this interface")
            }
        }
    }

    /// Runs a script of several statements without parameters (simple protocol).
    func script(_ sql: String, _ interruption: Interruption?) throws(PostgresError) {
        try requireOpen()
        try sent(PQexitPipelineMode(connection))
        try sent(PQsendQuery(connection, sql))
        var watch = Watch(deadline: nil, interruption: interruption)
        try flush(&watch)
        var failure: PostgresError?
        while let pointer = try nextResult(&watch) {
            if PQresultStatus(pointer) == PGRES_FATAL_ERROR, failure == nil {
                failure = Self.serverError(pointer, at: sql)
            }
            PQclear(pointer)
            guard PQstatus(connection) == CONNECTION_OK else { throw lost(failure?.reason ?? "") }
        }
        try sent(PQenterPipelineMode(connection))
        if let failure { throw failure }
    }

    /// Waits until the server has sent notifications.
    ///
    /// - Returns: what came; empty when the deadline or the interruption came first.
    func notifications(
        until deadline: ContinuousClock.Instant?, _ interruption: Interruption?
    ) throws(PostgresError) -> [PostgresNotification] {
        while true {
            guard PQconsumeInput(connection) == 1 else { throw lost("") }
            var notifications: [PostgresNotification] = []
            while let notify = PQnotifies(connection) {
                notifications.append(
                    PostgresNotification(
                        channel: String(cString: notify.pointee.relname), payload: String(cString: notify.pointee.extra)
                    ))
                PQfreemem(notify)
            }
            guard notifications.isEmpty, wait(for: Int16(POLLIN), until: deadline, interruption) == .ready else {
                return notifications
            }
        }
    }

    // MARK: Sending

    private func send(_ item: Item) throws(PostgresError) {
        let types = item.statement.parameterTypes.map { Oid($0.rawValue) }
        let block = item.parameters
        switch item.plan {
        case .prepare(let name):
            try sent(PQsendPrepare(connection, name, item.statement.sql, Int32(types.count), types))
            try sendPrepared(name, block)
        case .known(let name): try sendPrepared(name, block)
        case .unprepared:
            try sent(
                block.withPointers { count, values, lengths, formats in
                    PQsendQueryParams(connection, item.statement.sql, count, types, values, lengths, formats, 1)
                })
        }
    }

    private func sendPrepared(_ name: String, _ block: ParameterBlock) throws(PostgresError) {
        try sent(
            block.withPointers { count, values, lengths, formats in
                PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)
            })
    }

    private func sent(_ code: Int32) throws(PostgresError) {
        guard code == 1 else { throw lost("") }
    }

    private func flush(_ watch: inout Watch) throws(PostgresError) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may have to be read before it reads more.
                try pause(for: Int16(POLLIN | POLLOUT), &watch)
                guard PQconsumeInput(connection) == 1 else { throw lost("") }
            default: throw lost("")
            }
        }
    }

    // MARK: Receiving

    private func nextResult(_ watch: inout Watch) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            try pause(for: Int16(POLLIN), &watch)
            // A failure shows as a result that says so.
            _ = PQconsumeInput(connection)
        }
        let result = PQgetResult(connection)
        if result == nil, PQstatus(connection) != CONNECTION_OK { throw lost("") }
        return result
    }

    /// A deadline and an interruption, and what became of them.
    private struct Watch {
        var deadline: ContinuousClock.Instant?
        var interruption: Interruption?
        var wasInterrupted = false
    }

    private func pause(for events: Int16, _ watch: inout Watch) throws(PostgresError) {
        switch wait(for: events, until: watch.deadline, watch.interruption) {
        case .ready: return
        case .deadline: throw lost("no answer from the server in time")
        case .interrupted:
            watch.interruption = nil
            watch.wasInterrupted = true
            watch.deadline = min(watch.deadline ?? .now + .seconds(5), .now + .seconds(5))
            guard CancelRequest(connection)?.send(withinSeconds: 2) == true else {
                throw lost("the server does not answer")
            }
        }
    }

    private enum Wakeup {
        case ready, deadline, interrupted
    }

    private func wait(
        for events: Int16, until deadline: ContinuousClock.Instant?, _ interruption: Interruption?
    ) -> Wakeup {
        while true {
            if let interruption, interruption.isRaised { return .interrupted }
            var timeout: Int32 = -1
            if let deadline {
                let left = deadline - .now
                guard left > .zero else { return .deadline }
                timeout = Int32(clamping: Int64(left / .milliseconds(1)) + 1)
            }
            var descriptors = [
                pollfd(fd: PQsocket(connection), events: events, revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&descriptors, 2, timeout)
            if descriptors[1].revents != 0 { wake.drain() }
            if count > 0, descriptors[0].revents != 0 { return .ready }
        }
    }
}
