import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrchardHTTPServer

@Suite(.timeLimit(.minutes(4))) struct BackpressureTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    /// `GET /wait` answers when `proceed` opens.
    private func waitingRouter(_ proceed: Gate, _ started: Locked<Int>) -> Router {
        var router = demoRouter()
        router.on(.get, "/wait") { _, _ in
            started.withLock { $0 += 1 }
            await proceed.wait()
            return .text("done")
        }
        return router
    }

    @Test(
        "the connection that has been idle longest makes room; one whose request is worked on never does",
        arguments: [1, 2])
    func idleConnectionsMakeRoom(loops: Int) async throws {
        var limits = HTTPServerLimits()
        limits.connections = 4
        let (proceed, started, metrics) = (Gate(), Locked(0), MetricsRegistry())
        try await withServer(waitingRouter(proceed, started), loops: loops, limits: limits, metrics: metrics) { port in
            let busy = try RawConnection(port: port)
            busy.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            try await eventually { started.withLock { $0 } == 1 }
            let old = try RawConnection(port: port)
            let young = try RawConnection(port: port)
            // A loop records that a connection is idle after it has sent the answer. This one has the same loop as the
            // old one: when it is answered, the old one's time is recorded, however late the thread was.
            let neighbour = try RawConnection(port: port)
            for connection in [old, neighbour, young] {
                connection.send(Self.request)
                #expect(await connection.read(until: "ok\n").hasSuffix("ok\n"))
            }
            let new = try RawConnection(port: port)
            new.send(Self.request)
            #expect(await new.read(until: "ok\n").hasSuffix("ok\n"), "the old one makes room")
            #expect(await old.readToEnd().isEmpty, "it was closed")
            for connection in [neighbour, young] {
                connection.send(Self.request)
                #expect(await connection.read(until: "ok\n").hasSuffix("ok\n"))
            }
            proceed.open()
            #expect(await busy.readToEnd().hasSuffix("done"))
            #expect(metrics.counter("http_server_evicted_connections_total", help: "").value == 1)
        }
    }

    @Test("while all connections work on requests, others wait in the backlog", arguments: [1, 2])
    func othersWait(loops: Int) async throws {
        var limits = HTTPServerLimits()
        limits.connections = 2
        let (proceed, started, metrics) = (Gate(), Locked(0), MetricsRegistry())
        try await withServer(waitingRouter(proceed, started), loops: loops, limits: limits, metrics: metrics) { port in
            let busy = try (0..<2).map { _ in try RawConnection(port: port) }
            for connection in busy { connection.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
            try await eventually { started.withLock { $0 } == 2 }
            let third = try RawConnection(port: port)
            third.send(Self.request)
            #expect(metrics.gauge("http_server_open_connections", help: "").value == 2, "the third waits")
            #expect(metrics.gauge("http_server_maximum_connections", help: "").value == 2)
            proceed.open()
            for connection in busy { #expect(await connection.readToEnd().hasSuffix("done")) }
            #expect(await third.read(until: "ok\n").hasSuffix("ok\n"))
        }
    }

    @Test(
        "requests beyond the memory: the one that has been coming in longest gets 503, and others are served",
        arguments: [1, 2])
    func memory(loops: Int) async throws {
        var limits = HTTPServerLimits()
        limits.requestMemory = 100_000
        let piece = String(repeating: "x", count: 60_000)
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60001\r\n"
        try await withServer(demoRouter(), loops: loops, limits: limits) { port in
            let slow = try RawConnection(port: port)
            slow.send(head + "Expect: 100-continue\r\n\r\n")
            #expect(await slow.read(until: "\r\n\r\n").contains("100 Continue"), "its head has come in")
            slow.send(piece)
            let quick = try RawConnection(port: port)
            quick.send(head + "\r\n" + piece)
            let refusal = await slow.readToEnd()
            #expect(
                refusal.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n") && refusal.contains("\r\nRetry-After: 1\r\n"))
            quick.send("y")
            #expect(await quick.read(until: "y").hasSuffix("xy"))
        }
    }

    @Test("a new connection has its own, short time for the first byte")
    func silence() async throws {
        var limits = HTTPServerLimits()
        limits.firstByteTime = .seconds(2)
        try await withServer(demoRouter(), limits: limits) { port in
            let silent = try RawConnection(port: port)
            let kept = try RawConnection(port: port)
            kept.send(Self.request)
            #expect(await kept.read(until: "ok\n").hasSuffix("ok\n"))
            #expect(await silent.readToEnd().isEmpty)
            kept.send(Self.request)
            #expect(await kept.read(until: "ok\n").hasSuffix("ok\n"), "after a request it may be silent for longer")
        }
    }

    @Test(
        "connections leave descriptors to the rest of the process",
        arguments: [(20_000, 10_000), (10_256, 10_000), (1_024, 768), (257, 1), (256, nil), (64, nil)] as [(Int, Int?)])
    func descriptors(_ openFiles: Int, _ connections: Int?) throws {
        let result = Result { try HTTPServer.connections(HTTPServerLimits(), openFiles: openFiles) }
        switch result {
        case .success(let found): #expect(found == connections)
        case .failure(let error):
            #expect(connections == nil)
            #expect((error as? HTTPServerError)?.code == .openFiles && "\(error)".contains("LimitNOFILE"))
        }
    }

    @Test(arguments: [1, 2]) func hundredsOfLongPollsWaitWhileOthersAreServed(loops: Int) async throws {
        let count = 300
        let proceed = Gate()
        let waiting = Locked(0)
        var router = demoRouter()
        router.on(.get, "/wait", whenClientLeaves: .cancel) { _, _ in
            waiting.withLock { $0 += 1 }
            await proceed.wait()
            return .text("done")
        }
        try await withServer(router, loops: loops) { port in
            let polls = try (0..<count).map { _ in try RawConnection(port: port) }
            for poll in polls { poll.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
            try await eventually { waiting.withLock { $0 } == count }
            let other = try RawConnection(port: port)
            other.send(Self.request)
            #expect(await other.read(until: "ok\n").hasSuffix("ok\n"))
            proceed.open()
            for poll in polls { #expect(await poll.readToEnd().hasSuffix("done")) }
        }
    }
}
