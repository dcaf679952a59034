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

    @Test func aConnectionThatWasClosedBeforeItsTurnSendsNothingToWhoHasItsDescriptorNow() async throws {
        let other = Locked<(descriptor: Int32, pair: SocketPair?)>((-1, nil))
        var router = demoRouter(isImmediate: true)
        router.onImmediate(.get, "/other") { _, _ in
            // As another loop may, at this moment.
            other.withLock { $0.pair = try? SocketPair(as: $0.descriptor) }
            return .text("ok\n")
        }
        let loop = try makeLoop(router: router)
        try await loop.closeBeforeTurn { descriptor in other.withLock { $0.descriptor = descriptor } }
        let pair = try #require(other.withLock { $0.pair })
        defer { for descriptor in [pair.client, pair.server] { close(descriptor) } }
        #expect(!pair.hasInput, "bytes of one client reach another one")
    }

    @Test func aConnectionThatIsClosedTwiceClosesNoOther() async throws {
        let loop = try makeLoop()
        let next = try await loop.removeTwice()
        #expect(next.isOpen && next.isKnown, "the next client's connection is closed")
        #expect(next.connections == 1 && next.places == 1)
    }
}

extension EventLoop {
    /// Has a connection answer while it is open, and once more when it is closed.
    ///
    /// - Returns: what its client got, and what the client got that then had its descriptor.
    fileprivate func answerAfterClosing() throws -> (own: String?, afterwards: String?) {
        let pair = try SocketPair(from: 900)
        let connection = try adopt(pair)
        let bytes = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let first = connection.state.machine.receive(bytes.span, at: clock.now())
        perform(first, on: connection, at: clock.now())
        let own = pair.line
        let second = connection.state.machine.receive(bytes.span, at: clock.now())
        remove(connection)
        let next = try SocketPair(as: pair.server)
        defer { for descriptor in [pair.client, next.client, next.server] { close(descriptor) } }
        perform(second, on: connection, at: clock.now())
        return (own, next.line)
    }

    /// Has a connection whose client has left answer as the 32nd of a round, behind its event and before its turn.
    ///
    /// - Parameter note: gets its descriptor. After it a request for `/other` is read.
    fileprivate func closeBeforeTurn(_ note: (Int32) -> Void) throws {
        let pairs = try (0..<33).map { _ in try SocketPair(from: 850) }
        defer {
            for connection in connections.all { remove(connection) }
            for (index, pair) in pairs.enumerated() where index != 31 { close(pair.client) }
        }
        var moment = clock.now()
        let connections = try pairs.map { try adopt($0) }
        for (index, pair) in pairs.enumerated() {
            if index == 32 {
                let request = Array("GET /other HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
                try #require(send(pair.client, request, request.count, 0) == request.count)
            } else {
                // Large ones are read when nine are there.
                try pair.send(echo: String(repeating: "a", count: index < 27 ? 2_000 : 1))
            }
            if index == 31 { close(pair.client) }
            let token = connections[index].token
            handle(Poller.Event(token: token, isReadable: true, isEnded: false), at: &moment)
        }
        note(pairs[31].server)
        resume(connections[31], at: &moment)
    }

    /// Closes a connection twice. In between, another client gets its descriptor.
    fileprivate func removeTwice() throws -> (isOpen: Bool, isKnown: Bool, connections: Int, places: Int) {
        let pair = try SocketPair(from: 950)
        let connection = try adopt(pair)
        remove(connection)
        let next = try SocketPair(as: pair.server)
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
