import Foundation
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
