import OrchardHTTPTypes
import OrchardServiceKit

/// A strict HTTP/1.1 server: event loops with a thread each own the sockets, requests run as child tasks of ``run()``.
///
/// It speaks plain HTTP, or TLS where it has an identity: HTTP/2 and the open internet are a reverse proxy's, but it is
/// safe without one. On graceful shutdown it accepts no more connections, answers the current requests, and returns; a
/// long poll should itself watch for the shutdown (`withGracefulShutdownHandler`) and answer early.
///
/// Knowingly stricter than RFC 9112: no absolute-form target, no chunk extensions, no trailers, no transfer coding
/// beside `chunked`, field values are UTF-8, and a client that closes its sending side has left.
public final class HTTPServer: Service {
    private let configuration: HTTPServerConfiguration
    private let router: Router
    private let logger: Logger
    private let metrics: ServerMetrics
    private let failures: FailureRuns
    private let port = PortAnnouncement()

    /// - Parameter readiness: shows a route that answers nothing but the same failure.
    public init(
        configuration: HTTPServerConfiguration, router: Router, logger: Logger = Logger(label: "http"),
        metrics: MetricsRegistry = MetricsRegistry(), readiness: Readiness? = nil
    ) {
        self.configuration = configuration
        self.router = router
        self.logger = logger
        self.metrics = ServerMetrics(metrics)
        if let tls = configuration.tls { metrics.showEnd(of: tls, port: "public") }
        failures = FailureRuns(metrics: self.metrics, readiness: readiness, logger: logger)
    }

    /// The port it listens on, as soon as it does.
    ///
    /// - Throws: ``HTTPServerError`` when it cannot listen; `CancellationError` when the waiting task is cancelled.
    public var boundPort: Int {
        get async throws { try await port.value }
    }

    /// Serves until the graceful shutdown, or at most until the task is cancelled.
    ///
    /// - Throws: ``HTTPServerError`` when it cannot listen.
    public func run() async throws {
        let listener: (descriptor: Int32, port: Int)
        let loops: [EventLoop]
        do throws(HTTPServerError) {
            (listener, loops) = try start()
        } catch {
            port.announce(.failure(error))
            throw error
        }
        let mailboxes = loops.map(\.mailbox)
        port.announce(.success(listener.port))
        logger.notice(
            "listening on \(configuration.host) port \(listener.port)" + (configuration.tls == nil ? "" : " with TLS"))
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await withDiscardingTaskGroup { group in
                    for loop in loops { group.addTask { await loop.run() } }
                }
            } onGracefulShutdown: {
                mailboxes.first?.drain()
            }
        } onCancel: {
            for mailbox in mailboxes { mailbox.stop() }
        }
        logger.notice("stopped listening on port \(listener.port)")
    }

    /// Listens, and makes the loops that share the connections.
    private func start() throws(HTTPServerError) -> (listener: (descriptor: Int32, port: Int), loops: [EventLoop]) {
        var limits = configuration.limits
        limits.connections = try Self.connections(limits, openFiles: OpenFileLimit.raise())
        metrics.maximumConnections.set(Double(limits.connections))
        var mailboxes: [LoopMailbox] = []
        for _ in 0..<configuration.eventLoops { mailboxes.append(try LoopMailbox()) }
        let shared = EventLoop.Shared(
            limits: limits, router: router,
            responder: Responder(
                logger: logger, metrics: metrics, failures: failures,
                adoptsTraceparent: configuration.adoptsTraceparent),
            logger: logger, metrics: metrics, tls: configuration.tls,
            table: Locked(ConnectionTable(loops: mailboxes.count)),
            mailboxes: mailboxes)
        let listener = try Sockets.listen(host: configuration.host, port: configuration.port)
        var loops: [EventLoop] = []
        do throws(HTTPServerError) {
            for index in mailboxes.indices {
                loops.append(try EventLoop(index, listener: index == 0 ? listener.descriptor : nil, shared: shared))
            }
        } catch {
            Sockets.end(listener.descriptor)
            throw error
        }
        return (listener, loops)
    }

    /// As many connections as the settings and the limit of open files allow.
    static func connections(_ limits: HTTPServerLimits, openFiles: Int) throws(HTTPServerError) -> Int {
        guard openFiles > limits.reservedFiles else {
            throw HTTPServerError(
                .openFiles,
                "this process may open \(openFiles) files, and reserved-files keeps \(limits.reservedFiles) of them: "
                    + "raise the limit (ulimit -n, LimitNOFILE) or lower the setting")
        }
        return min(limits.connections, openFiles - limits.reservedFiles)
    }
}

/// Why the server cannot run.
public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The step that failed.
    public enum Code: Hashable, Sendable {
        /// The host is not an address of this machine, or the port is taken or not allowed.
        case listen
        /// The kernel gave no epoll or event descriptor.
        case poll
        /// The limit of open files leaves no connections.
        case openFiles
    }

    public let code: Code
    /// What failed and what to do about it.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
