import CLibpq
import Glibc

/// One libpq connection in non-blocking pipeline mode; where it would wait for the server, its task is suspended.
///
/// One operation at a time: ``PostgresConnection`` gives turns.
final class LibpqSession: @unchecked Sendable {
    // @unchecked: PGconn is not thread-safe; only its actor uses it once it is made, and deinit, when nobody else can.
    let connection: OpaquePointer
    let lastNotice = LastNotice()
    private let poller: SocketPoller
    private let token: SocketPoller.Token

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

    /// Takes over a connection. The caller ends it when this throws.
    init(owning connection: OpaquePointer) throws(PostgresError) {
        self.connection = connection
        poller = try SocketPoller.shared()
        token = try poller.add(PQsocket(connection))
        keepLastNotice()
    }

    deinit {
        // Before libpq closes the socket: its number may be another connection's at once.
        poller.remove(PQsocket(connection), token)
        PQfinish(connection)
    }

    /// libpq's message of the last error.
    var message: String { Self.oneLine(PQerrorMessage(connection)) }

    // MARK: State

    /// Whether the connection is open, as far as it is known without a query. Reads what has arrived: the server's last
    /// message comes before the end of the stream.
    var isOpen: Bool {
        var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        while PQstatus(connection) == CONNECTION_OK {
            // It takes what was read already: the message may have come together with the last result.
            _ = PQisBusy(connection)
            guard poll(&socket, 1, 0) > 0 else { return true }
            guard PQconsumeInput(connection) == 1 else { return false }
        }
        return false
    }

    /// Checks before something is sent: afterwards libpq would only report that the stream has ended, and not why.
    private func requireOpen() throws(PostgresError) {
        guard isOpen else { throw lost("") }
    }

    /// Whether the server is inside a transaction (or in a state not known).
    var isInTransaction: Bool { PQtransactionStatus(connection) != PQTRANS_IDLE }

    // MARK: Work

    /// Sends everything in one go, ended by a sync, and collects the results.
    ///
    /// - Parameter isCancellable: whether the running statement is cancelled on the server when the task is.
    /// - Throws: ``PostgresError/Code/connectionLost``; what the server refuses is in the exchange.
    func exchange(
        _ items: [Item], until deadline: ContinuousClock.Instant?, isCancellable: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(PostgresError) -> Exchange {
        try requireOpen()
        for item in items { try send(item) }
        try sent(PQpipelineSync(connection))
        var exchange = Exchange()
        var socketWait = SocketWait(deadline: deadline, isCancellable: isCancellable)
        try await flush(&socketWait)
        // In the order of the replies: a preparation answers before the statement it is for.
        var replies: [(position: Int, isPreparation: Bool)] = []
        for (position, item) in items.enumerated() {
            if case .prepare = item.plan { replies.append((position, true)) }
            replies.append((position, false))
        }
        var next = 0
        while true {
            guard let pointer = try await nextResult(&socketWait) else {
                next += 1
                guard next <= replies.count else { throw lost("the server answered out of turn") }
                continue
            }
            switch PQresultStatus(pointer) {
            case PGRES_PIPELINE_SYNC:
                PQclear(pointer)
                if socketWait.wasCancelled, exchange.failure?.error.sqlState == "57014" {
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
    func script(_ sql: String, isolation: isolated (any Actor)? = #isolation) async throws(PostgresError) {
        try requireOpen()
        try sent(PQexitPipelineMode(connection))
        try sent(PQsendQuery(connection, sql))
        var socketWait = SocketWait(deadline: nil, isCancellable: true)
        try await flush(&socketWait)
        var failure: PostgresError?
        while let pointer = try await nextResult(&socketWait) {
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
    /// - Returns: what came; empty when the deadline or the task's cancellation came first.
    func notifications(
        until deadline: ContinuousClock.Instant?, isolation: isolated (any Actor)? = #isolation
    ) async throws(PostgresError) -> [PostgresNotification] {
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
            guard notifications.isEmpty else { return notifications }
            switch await wait(orWritable: false, until: deadline, isCancellable: true) {
            case .ready: continue
            case .deadline, .cancelled: return []
            case .failed: throw lost("the connection's socket is not watched")
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

    private func flush(
        _ socketWait: inout SocketWait, isolation: isolated (any Actor)? = #isolation
    ) async throws(PostgresError) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may have to be read before it reads more.
                try await pause(orWritable: true, &socketWait)
                guard PQconsumeInput(connection) == 1 else { throw lost("") }
            default: throw lost("")
            }
        }
    }

    // MARK: Receiving

    private func nextResult(
        _ socketWait: inout SocketWait, isolation: isolated (any Actor)? = #isolation
    ) async throws(PostgresError) -> OpaquePointer? {
        // A long result comes in pieces of 8 KB. While other tasks take their turns, several gather: that costs less than to
        // wait for each.
        var turns = 0
        while PQisBusy(connection) == 1 {
            if turns > 0 {
                await Task.yield()
                turns -= 1
            } else {
                try await pause(orWritable: false, &socketWait)
                turns = 4
            }
            // A failure is a result, too.
            _ = PQconsumeInput(connection)
        }
        let result = PQgetResult(connection)
        if result == nil, PQstatus(connection) != CONNECTION_OK { throw lost("") }
        return result
    }

    // MARK: Waiting

    /// When an operation ends early, and whether it was cancelled.
    private struct SocketWait {
        var deadline: ContinuousClock.Instant?
        var isCancellable: Bool
        /// When the server is asked to cancel once more: a request that arrives before the statement does nothing.
        var nextRequest: ContinuousClock.Instant?

        var wasCancelled: Bool { nextRequest != nil }

        var isOver: Bool { deadline.map { $0 <= .now } ?? false }

        var wakeup: ContinuousClock.Instant? { [deadline, nextRequest].compactMap(\.self).min() }
    }

    private func pause(
        orWritable: Bool, _ socketWait: inout SocketWait, isolation: isolated (any Actor)? = #isolation
    ) async throws(PostgresError) {
        switch await wait(orWritable: orWritable, until: socketWait.wakeup, isCancellable: socketWait.isCancellable) {
        case .ready: return
        case .failed: throw lost("the connection's socket is not watched")
        case .deadline:
            guard socketWait.wasCancelled, !socketWait.isOver else { throw lost("no answer from the server in time") }
        case .cancelled:
            socketWait.isCancellable = false
            socketWait.deadline = min(socketWait.deadline ?? .now + .seconds(5), .now + .seconds(5))
        }
        guard await CancelRequest(connection)?.send(withinSeconds: 2) == true else {
            throw lost("the server does not answer")
        }
        socketWait.nextRequest = .now + .milliseconds(500)
    }

    private func wait(
        orWritable: Bool, until deadline: ContinuousClock.Instant?, isCancellable: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async -> SocketPoller.Wakeup {
        await poller.wait(
            for: PQsocket(connection), token, orWritable: orWritable, until: deadline, isCancellable: isCancellable)
    }
}
