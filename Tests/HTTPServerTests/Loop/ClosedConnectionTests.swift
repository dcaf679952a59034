import Foundation
import OrchardHTTPTypes
import OrchardServiceKit
import Testing

@testable import OrchardHTTPServer

/// A connection may be closed while its loop works on another one: the loop may still have it in hand, and its descriptor
/// may be another client's already.
@Suite struct ClosedConnectionTests {
    @Test func aClosedConnectionSendsNothingToWhoHasItsDescriptorNow() async throws {
        let loop = try makeLoop()
        let sent = try await loop.answerAfterClosing()
        #expect(sent.own == "HTTP/1.1 200 OK", "while it is open, its answer is sent")
        #expect(sent.afterwards == nil, "bytes of one client reach another one")
    }

    @Test func aConnectionThatIsClosedTwiceClosesNoOther() async throws {
        let loop = try makeLoop()
        let next = try await loop.removeTwice()
        #expect(next.isOpen && next.isKnown, "the next client's connection is closed")
        #expect(next.connections == 1 && next.places == 1)
    }

    private func makeLoop() throws -> EventLoop {
        let (metrics, logger) = (ServerMetrics(MetricsRegistry()), Logger(label: "test"))
        let shared = EventLoop.Shared(
            limits: HTTPServerLimits(), router: demoRouter(isImmediate: true),
            responder: Responder(
                logger: logger, metrics: metrics,
                failures: FailureRuns(metrics: metrics, readiness: nil, logger: logger), adoptsTraceparent: false),
            logger: logger, metrics: metrics, tls: nil, table: Locked(ConnectionTable(loops: 1)),
            mailboxes: [try LoopMailbox()])
        return try EventLoop(0, listener: nil, shared: shared)
    }
}

/// The two ends of a connection.
private struct Pair {
    /// Where the server reads and writes.
    let server: Int32
    /// The client's end.
    let client: Int32

    /// - Parameter descriptor: the server's end becomes this one, or the first free one above 800 when it is nil: the
    ///   kernel gives low ones to the tests that run beside this one.
    init(_ descriptor: Int32? = nil) throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        server = descriptor.map { dup2(ends[0], $0) } ?? fcntl(ends[0], F_DUPFD, 800)
        client = ends[1]
        close(ends[0])
        try #require(server >= 800)
    }

    /// The first line that the client has got; nil when it has got nothing.
    var line: String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(client, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self) : nil
    }
}

extension EventLoop {
    private func adopt(_ pair: Pair) throws -> SocketConnection {
        let moment = clock.now()
        let entry = shared.table.withLock { $0.add(pair.server, at: moment.instant) }
        shared.metrics.connections.increment()
        adopt(entry, at: moment)
        return try #require(connections[entry.token])
    }

    /// Has a connection answer while it is open, and once more when it is closed.
    ///
    /// - Returns: what its client got, and what the client got that then had its descriptor.
    fileprivate func answerAfterClosing() throws -> (own: String?, afterwards: String?) {
        let pair = try Pair()
        let connection = try adopt(pair)
        let bytes = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let first = connection.state.machine.receive(bytes.span, at: clock.now())
        perform(first, on: connection, at: clock.now())
        let own = pair.line
        let second = connection.state.machine.receive(bytes.span, at: clock.now())
        remove(connection)
        let next = try Pair(pair.server)
        defer { for descriptor in [pair.client, next.client, next.server] { close(descriptor) } }
        perform(second, on: connection, at: clock.now())
        return (own, next.line)
    }

    /// Closes a connection twice. In between, another client gets its descriptor.
    fileprivate func removeTwice() throws -> (isOpen: Bool, isKnown: Bool, connections: Int, places: Int) {
        let pair = try Pair()
        let connection = try adopt(pair)
        remove(connection)
        let next = try Pair(pair.server)
        let other = try adopt(next)
        remove(connection)
        let isOpen = fcntl(next.server, F_GETFD) >= 0
        let isKnown = connections[other.token] === other
        let counts = (connections.count, shared.table.withLock { $0.count })
        if isOpen { remove(other) }
        for descriptor in [pair.client, next.client] { close(descriptor) }
        return (isOpen, isKnown, counts.0, counts.1)
    }
}
