import CEpoll
import CLibpq
import Glibc
import OrchardServiceKit
import Synchronization

extension LibpqSession {
    /// Connects, on a thread of its own until it has: libpq looks up host names and reads files there, which blocks.
    ///
    /// - Throws: ``PostgresError/Code/connectionFailed``, ``PostgresError/Code/cancelled``.
    static func connect(_ configuration: PostgresConfiguration) async throws(PostgresError) -> LibpqSession {
        let interruption = ConnectInterruption()
        let outcome = Locked<Result<LibpqSession, PostgresError>?>(nil)
        await withTaskCancellationHandler {
            await runOnOwnThread(named: "postgres-connect") {
                let result: Result<LibpqSession, PostgresError>
                do throws(PostgresError) {
                    result = .success(try blockingConnect(configuration, interruption))
                } catch { result = .failure(error) }
                outcome.withLock { $0 = result }
            }
        } onCancel: {
            interruption.raise()
        }
        guard let result = outcome.withLock({ $0 }) else {
            throw PostgresError(.connectionFailed, "the thread that connects ended early")
        }
        return try result.get()
    }

    private static func blockingConnect(
        _ configuration: PostgresConfiguration, _ interruption: ConnectInterruption
    ) throws(PostgresError) -> LibpqSession {
        // Later keywords win: the connection string may override these.
        let keywords = [
            ("application_name", configuration.applicationName), ("tcp_user_timeout", "10000"),
            ("keepalives_idle", "30"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("dbname", configuration.connectionString), ("client_encoding", "UTF8"),
        ]
        guard let connection = start(keywords) else {
            throw PostgresError(.connectionFailed, "out of memory")
        }
        do throws(PostgresError) {
            try establish(connection, within: configuration.connectTimeout, interruption)
            return try LibpqSession(owning: connection)
        } catch {
            PQfinish(connection)
            throw error
        }
    }

    private static func establish(
        _ connection: OpaquePointer, within limit: Duration, _ interruption: ConnectInterruption
    ) throws(PostgresError) {
        let deadline = ContinuousClock.now + limit
        while true {
            guard PQstatus(connection) != CONNECTION_BAD else { throw connectionFailed(connection) }
            let events: Int16
            switch PQconnectPoll(connection) {
            case PGRES_POLLING_OK:
                guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
                    throw connectionFailed(connection)
                }
                return
            case PGRES_POLLING_READING: events = Int16(POLLIN)
            case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
            default: throw connectionFailed(connection)
            }
            try wait(for: events, connection, until: deadline, limit, interruption)
        }
    }

    /// Returns when the socket is ready; libpq may have another one after each step.
    private static func wait(
        for events: Int16, _ connection: OpaquePointer, until deadline: ContinuousClock.Instant, _ limit: Duration,
        _ interruption: ConnectInterruption
    ) throws(PostgresError) {
        while true {
            guard !interruption.isRaised else { throw PostgresError(.cancelled, "cancelled while connecting") }
            let left = deadline - .now
            guard left > .zero else { throw PostgresError(.connectionFailed, "no connection within \(limit)") }
            var descriptors = [
                pollfd(fd: PQsocket(connection), events: events, revents: 0),
                pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&descriptors, 2, Int32(clamping: left.milliseconds + 1))
            if count > 0, descriptors[0].revents != 0 { return }
        }
    }

    private static func start(_ keywords: [(String, String)]) -> OpaquePointer? {
        let names = keywords.map { strdup($0.0) }
        let values = keywords.map { strdup($0.1) }
        defer { (names + values).forEach { free($0) } }
        let constNames = names.map { UnsafePointer($0) } + [nil]
        let constValues = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(constNames, constValues, 1)
    }

    private static func connectionFailed(_ connection: OpaquePointer) -> PostgresError {
        // libpq's message names host, port, user and database; for a string it cannot read it quotes a part of it.
        guard let host = PQhost(connection), host.pointee != 0 else {
            return PostgresError(.connectionFailed, "the connection string cannot be read, or names no server")
        }
        return PostgresError(.connectionFailed, oneLine(PQerrorMessage(connection)))
    }
}

/// Ends the attempt of a thread that connects; set when its task is cancelled.
final class ConnectInterruption: Sendable {
    private let flag = Atomic(false)
    /// An eventfd that ends the thread's `poll`. Without one (no descriptors left) it ends at its deadline.
    let descriptor = orchard_eventfd()

    deinit { if descriptor >= 0 { close(descriptor) } }

    var isRaised: Bool { flag.load(ordering: .acquiring) }

    func raise() {
        flag.store(true, ordering: .releasing)
        eventfd_write(descriptor, 1)
    }
}
