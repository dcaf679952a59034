import Foundation
import OrchardServiceKit
import Testing

@testable import OrchardHTTPServer

@Suite("Answers to the requests of a round")
struct AnswersTogetherTests {
    @Test("are sent when the round's requests are read")
    func together() async throws {
        let (before, after) = try await makeLoop().answered(3) { $0.answer(at: &$1) }
        #expect(before == 0 && after == 3)
    }

    @Test("do not wait when they are many", arguments: [31, 32, 33])
    func many(count: Int) async throws {
        let (before, after) = try await makeLoop().answered(count) { $0.answer(at: &$1) }
        #expect(before == (count < 32 ? 0 : 32))
        #expect(after == count)
    }

    @Test(
        "are sent before anything that may close connections: theirs look idle until then",
        arguments: [EventLoop.Token.listener, EventLoop.Token.mailbox])
    func others(token: UInt64) async throws {
        let (before, after) = try await makeLoop().answered(2) { loop, moment in
            loop.handle(Poller.Event(token: token, isReadable: true, isEnded: false), at: &moment)
        }
        #expect(before == 0 && after == 2)
    }

    @Test("are not sent on a connection that was closed meanwhile")
    func closed() async throws {
        let (_, after) = try await makeLoop().answered(2) { loop, moment in
            for connection in loop.connections.all { loop.remove(connection) }
            loop.answer(at: &moment)
        }
        #expect(after == 0)
    }

    @Test("come in order, also on a connection that has its turn behind its event")
    func order() async throws { #expect(try await makeLoop().answersOfTurns() == 2) }

    @Test(
        "wait for requests that are received together, which are few and small",
        arguments: [(8, 2_000, 8), (9, 2_000, 0), (31, 50, 31), (32, 50, 0), (33, 50, 1)])
    func received(count: Int, size: Int, waiting: Int) async throws {
        let loop = try makeLoop()
        let (before, after) = try await loop.answered(count, size: size) { loop, moment in
            #expect(loop.received.count == waiting)
            loop.answer(at: &moment)
            #expect(loop.received.isEmpty && loop.input.count == 0)
        }
        #expect(before == (count < 32 ? 0 : 32) && after == count)
    }

    @Test("lend their memory from each other, up to a mebibyte of it")
    func memory() {
        var spare = SpareMemory()
        #expect(spare.take().capacity == 0, "nobody has given any")
        for _ in 0..<5 {
            var buffer: [UInt8] = []
            buffer.reserveCapacity(250_000)
            spare.give(buffer)
        }
        #expect((1_000_000...1 << 20).contains(spare.bytes), "the fifth is freed")
        for _ in 0..<4 { #expect(spare.take().capacity >= 250_000) }
        #expect(spare.take().capacity == 0 && spare.bytes == 0)
        var large: [UInt8] = []
        large.reserveCapacity(300_000)
        spare.give(large)
        #expect(spare.bytes == 0, "a large one is freed")
    }
}

extension EventLoop {
    /// Has clients send a request each, reads them in one round, and does something then.
    ///
    /// - Returns: how many clients had an answer before it, and after it.
    fileprivate func answered(
        _ count: Int, size: Int = 50, _ then: @Sendable (isolated EventLoop, inout Moment) -> Void
    ) throws -> (before: Int, after: Int) {
        let pairs = try (0..<count).map { _ in try SocketPair(from: 1_000) }
        defer {
            for connection in connections.all { remove(connection) }
            for pair in pairs { close(pair.client) }
        }
        let head = "GET /healthz HTTP/1.1\r\nHost: a\r\nX: "
        let request = Array("\(head)\(String(repeating: "a", count: size - head.utf8.count - 4))\r\n\r\n".utf8)
        let tokens = try pairs.map { pair in
            let token = try adopt(pair).token
            try #require(send(pair.client, request, request.count, 0) == request.count)
            return token
        }
        var moment = clock.now()
        for token in tokens { handle(Poller.Event(token: token, isReadable: true, isEnded: false), at: &moment) }
        let before = pairs.count { $0.hasInput }
        then(self, &moment)
        return (before, pairs.count { $0.hasInput })
    }
    /// Has a client send a second request when the first was received and not yet read, and gives its connection a turn.
    ///
    /// - Returns: how many answers it has got.
    fileprivate func answersOfTurns() throws -> Int {
        let pair = try SocketPair(from: 1_000)
        let connection = try adopt(pair)
        defer {
            remove(connection)
            close(pair.client)
        }
        let request = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let event = Poller.Event(token: connection.token, isReadable: true, isEnded: false)
        var moment = clock.now()
        try #require(send(pair.client, request, request.count, 0) == request.count)
        handle(event, at: &moment)
        try #require(send(pair.client, request, request.count, 0) == request.count)
        connection.state.mayRead = true
        resume(connection, at: &moment)
        answer(at: &moment)
        handle(event, at: &moment)
        answer(at: &moment)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(pair.client, &bytes, bytes.count, 0)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self).components(separatedBy: "HTTP/1.1 200").count
            - 1
    }
}
