import Foundation
import OrchardServiceKit
import Testing

@testable import OrchardHTTPServer

/// A loop that nobody runs, for tests that take its steps one by one.
func makeLoop(
    tls: CheckedFile<TLSContext>? = nil, router: Router = demoRouter(isImmediate: true)
) throws -> EventLoop {
    let (metrics, logger) = (ServerMetrics(MetricsRegistry()), Logger(label: "test"))
    let shared = EventLoop.Shared(
        limits: HTTPServerLimits(), router: router,
        responder: Responder(
            logger: logger, metrics: metrics,
            failures: FailureRuns(metrics: metrics, readiness: nil, logger: logger), adoptsTraceparent: false),
        logger: logger, metrics: metrics, tls: tls, table: Locked(ConnectionTable(loops: 1)),
        mailboxes: [try LoopMailbox()])
    return try EventLoop(0, listener: nil, shared: shared)
}

/// The two ends of a connection.
struct SocketPair {
    /// Where the server reads and writes; the loop closes it.
    let server: Int32
    /// The client's end.
    let client: Int32

    /// - Parameters:
    ///   - descriptor: what the server's end is to be; nil for a free one.
    ///   - first: the first that it may be else. The kernel gives low ones to the tests that run beside this one;
    ///     many shells allow none from 1,024 on.
    init(as descriptor: Int32? = nil, from first: Int32 = 800) throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        server = descriptor.map { dup2(ends[0], $0) } ?? fcntl(ends[0], F_DUPFD, first)
        client = ends[1]
        close(ends[0])
        try #require(server >= 0)
    }

    /// The first line that the client has got; nil when it has got nothing.
    var line: String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(client, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self) : nil
    }

    /// Has the client send a body that is to come back.
    func send(echo body: String) throws {
        let request = Array("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        try #require(Glibc.send(client, request, request.count, 0) == request.count)
    }

    /// The bodies of the answers that the client has got.
    var bodies: [String] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(client, &bytes, bytes.count, 0)
        let answers = String(decoding: bytes[..<max(0, count)], as: UTF8.self).components(
            separatedBy: "HTTP/1.1 200 OK\r\n")
        return answers.dropFirst().map {
            $0.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
        }
    }

    /// Whether the client has got something that it has not read.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return recv(client, &byte, 1, Int32(MSG_PEEK)) == 1
    }
}

extension EventLoop {
    /// Takes a connection as if its listener had accepted it.
    func adopt(_ pair: SocketPair) throws -> SocketConnection {
        let moment = clock.now()
        let entry = shared.table.withLock { $0.add(pair.server, at: moment.instant) }
        shared.metrics.connections.increment()
        adopt(entry, at: moment)
        return try #require(connections[entry.token])
    }
}
