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

    @Test("do not wait when they are many", arguments: [15, 16, 17])
    func many(count: Int) async throws {
        let (before, after) = try await makeLoop().answered(count) { $0.answer(at: &$1) }
        #expect(before == (count < 16 ? 0 : 16))
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

    @Test("go to who asked")
    func apart() async throws {
        let bodies = (0..<40).map { String(repeating: "\($0),", count: $0 % 7 * 100) }
        #expect(try await makeLoop().echoes(bodies) == bodies)
    }

    @Test("do not go to who has the descriptor of a connection that was closed meanwhile", arguments: [50, 2_000])
    func closed(size: Int) async throws {
        // Nine large requests are read and their answers wait; nine small ones wait to be read.
        #expect(try await makeLoop().answersAfterClosing(9, size: size) == 0)
    }

    @Test("come in order, also on a connection that has its turn behind its event")
    func order() async throws { #expect(try await makeLoop().answersOfTurns() == ["first", "second"]) }

    @Test(
        "wait for requests that are received together, which are few and small",
        arguments: [(8, 2_000, 8), (9, 2_000, 0), (15, 50, 15), (16, 50, 0), (17, 50, 1)])
    func received(count: Int, size: Int, waiting: Int) async throws {
        let loop = try makeLoop()
        let (before, after) = try await loop.answered(count, size: size) { loop, moment in
            #expect(loop.received.count == waiting)
            loop.answer(at: &moment)
            #expect(loop.received.isEmpty && loop.input.count == 0)
        }
        #expect(before == (count < 16 ? 0 : 16) && after == count)
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
        let pairs = try (0..<count).map { _ in try SocketPair(from: 0) }
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

    /// Has a client of each body send it to be echoed, and reads all in one round.
    fileprivate func echoes(_ bodies: [String]) throws -> [String] {
        let pairs = try bodies.map { _ in try SocketPair(from: 0) }
        defer {
            for connection in connections.all { remove(connection) }
            for pair in pairs { close(pair.client) }
        }
        var moment = clock.now()
        let tokens = try pairs.map { try adopt($0).token }
        for (pair, body) in zip(pairs, bodies) { try pair.send(echo: body) }
        for token in tokens { handle(Poller.Event(token: token, isReadable: true, isEnded: false), at: &moment) }
        answer(at: &moment)
        return pairs.map { $0.bodies.first ?? "" }
    }

    /// Closes connections whose requests were received, and gives their descriptors to others.
    ///
    /// - Returns: how many of the others got bytes.
    fileprivate func answersAfterClosing(_ count: Int, size: Int) throws -> Int {
        var others: [SocketPair] = []
        defer { for pair in others { for descriptor in [pair.client, pair.server] { close(descriptor) } } }
        // Descriptors that no other test takes meanwhile.
        let pairs = try (0..<count).map { _ in try SocketPair(from: size == 50 ? 960 : 980) }
        var moment = clock.now()
        for pair in pairs {
            try pair.send(echo: String(repeating: "a", count: size))
            let event = Poller.Event(token: try adopt(pair).token, isReadable: true, isEnded: false)
            handle(event, at: &moment)
        }
        for connection in connections.all {
            remove(connection)
            others.append(try SocketPair(as: connection.descriptor))
        }
        for pair in pairs { close(pair.client) }
        answer(at: &moment)
        return others.count { $0.hasInput }
    }

    /// Has a client send a second request when the first was received and not yet read, and gives its connection a turn.
    ///
    /// - Returns: the bodies of its answers.
    fileprivate func answersOfTurns() throws -> [String] {
        let pair = try SocketPair(from: 0)
        let connection = try adopt(pair)
        defer {
            remove(connection)
            close(pair.client)
        }
        let event = Poller.Event(token: connection.token, isReadable: true, isEnded: false)
        var moment = clock.now()
        try pair.send(echo: "first")
        handle(event, at: &moment)
        try pair.send(echo: "second")
        connection.state.mayRead = true
        resume(connection, at: &moment)
        answer(at: &moment)
        handle(event, at: &moment)
        answer(at: &moment)
        return pair.bodies
    }
}
