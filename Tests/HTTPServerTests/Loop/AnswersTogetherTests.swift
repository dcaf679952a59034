import Foundation
import OrchardServiceKit
import Testing

@testable import OrchardHTTPServer

@Suite("Answers to the requests of a round")
struct AnswersTogetherTests {
    @Test("are sent when the round's requests are read")
    func together() async throws {
        let (before, after) = try await makeLoop().answered(3) { $0.sendAnswers(at: $1) }
        #expect(before == 0 && after == 3)
    }

    @Test("do not wait when they are many", arguments: [31, 32, 33])
    func many(count: Int) async throws {
        let (before, after) = try await makeLoop().answered(count) { $0.sendAnswers(at: $1) }
        #expect(before == (count < 32 ? 0 : 32))
        #expect(after == count)
    }

    @Test(
        "are sent before anything that may close connections: theirs look idle until then",
        arguments: [EventLoop.Token.listener, EventLoop.Token.mailbox])
    func others(token: UInt64) async throws {
        let (before, after) = try await makeLoop().answered(2) { loop, moment in
            var moment = moment
            loop.handle(Poller.Event(token: token, isReadable: true, isEnded: false), at: &moment)
        }
        #expect(before == 0 && after == 2)
    }

    @Test("are not sent on a connection that was closed meanwhile")
    func closed() async throws {
        let (_, after) = try await makeLoop().answered(2) { loop, moment in
            for connection in loop.connections.all { loop.remove(connection) }
            loop.sendAnswers(at: moment)
        }
        #expect(after == 0)
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
        _ count: Int, _ then: @Sendable (isolated EventLoop, Moment) -> Void
    ) throws -> (before: Int, after: Int) {
        let pairs = try (0..<count).map { _ in try SocketPair(from: 1_000) }
        defer {
            for connection in connections.all { remove(connection) }
            for pair in pairs { close(pair.client) }
        }
        let request = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let tokens = try pairs.map { pair in
            let token = try adopt(pair).token
            try #require(send(pair.client, request, request.count, 0) == request.count)
            return token
        }
        var moment = clock.now()
        for token in tokens { handle(Poller.Event(token: token, isReadable: true, isEnded: false), at: &moment) }
        let before = pairs.count { $0.hasInput }
        then(self, moment)
        return (before, pairs.count { $0.hasInput })
    }
}
