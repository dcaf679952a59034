import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

@Suite struct BackpressureTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(.timeLimit(.minutes(4))) func connectionsAboveTheLimitWaitUntilOneEnds() async throws {
        var limits = HTTPServerLimits()
        limits.connections = 2
        let metrics = MetricsRegistry()
        try await withServer(demoRouter(), limits: limits, metrics: metrics) { port in
            let first = try RawConnection(port: port)
            let second = try RawConnection(port: port)
            for connection in [first, second] {
                connection.send(Self.request)
                #expect(await connection.read(until: "ok\n").hasSuffix("ok\n"))
            }
            let third = try RawConnection(port: port)
            third.send(Self.request)
            first.send(Self.request)
            #expect(await first.read(until: "ok\n").hasSuffix("ok\n"))
            #expect(metrics.gauge("http_server_open_connections", help: "").value == 2, "the third waits")
            first.finishSending()
            #expect(await third.read(until: "ok\n").hasSuffix("ok\n"))
        }
    }

    @Test(.timeLimit(.minutes(4))) func hundredsOfLongPollsWaitWhileOthersAreServed() async throws {
        let count = 300
        let proceed = Gate()
        let waiting = Locked(0)
        var router = demoRouter()
        router.on(.get, "/wait", whenClientLeaves: .cancel) { _, _ in
            waiting.withLock { $0 += 1 }
            await proceed.wait()
            return .text("done")
        }
        try await withServer(router) { port in
            let polls = try (0..<count).map { _ in try RawConnection(port: port) }
            for poll in polls { poll.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
            while waiting.withLock({ $0 }) < count { await Task.yield() }
            let other = try RawConnection(port: port)
            other.send(Self.request)
            #expect(await other.read(until: "ok\n").hasSuffix("ok\n"))
            proceed.open()
            for poll in polls { #expect(await poll.readToEnd().hasSuffix("done")) }
        }
    }
}
