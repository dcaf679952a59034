import Dispatch
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

/// There are never more connections open than are allowed, whatever the loops that own them do.
@Suite(.timeLimit(.minutes(4))) struct PlacesTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let limits: HTTPServerLimits = {
        var limits = HTTPServerLimits()
        limits.connections = 4
        return limits
    }()

    private let metrics = MetricsRegistry()
    /// How many call `GET /wait`, and what they wait for.
    private let waiting = Locked(0)
    private let answers = Gate()
    /// Whether `GET /block` is called, which keeps the thread of its loop, and what ends that.
    private let blocked = Gate()
    private let blocks = DispatchSemaphore(value: 0)

    private var open: Int { Int(metrics.gauge("http_server_open_connections", help: "").value) }
    private var evictions: Int64 { metrics.counter("http_server_evicted_connections_total", help: "").value }

    private var router: Router {
        var router = demoRouter(isImmediate: true)
        router.on(.get, "/wait") { [waiting, answers] _, _ in
            waiting.withLock { $0 += 1 }
            await answers.wait()
            return .text("ok\n")
        }
        router.onImmediate(.get, "/block") { [blocked, blocks] _, _ in
            blocked.open()
            blocks.wait()
            return .text("ok\n")
        }
        return router
    }

    /// Four connections that have had an answer each: those of the first loop at even places.
    private func connectAll(_ port: Int) async throws -> [RawConnection] {
        var connections: [RawConnection] = []
        for _ in 0..<Self.limits.connections {
            connections.append(try RawConnection(port: port))
            #expect(await isAnswered(connections.last, Self.request))
        }
        return connections
    }

    private func isAnswered(_ connection: RawConnection?, _ request: String? = nil) async -> Bool {
        if let request { connection?.send(request) }
        return await connection?.read(until: "ok\n").hasSuffix("ok\n") == true
    }

    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

    @Test("a newcomer is taken when the other connection is closed, not when its loop is asked to close it")
    func placeOfABusyLoop() async throws {
        try await withServer(router, loops: 2, limits: Self.limits, metrics: metrics) { port in
            let all = try await connectAll(port)
            for place in [0, 2] { all[place].send(get("/wait")) }
            try await eventually { waiting.withLock { $0 } == 2 }
            all[3].send(get("/block"))
            await blocked.wait()
            // Only the second connection is idle, long enough to be asked by then, and its loop is blocked.
            try await Task.sleep(for: .milliseconds(150))
            let newcomer = try RawConnection(port: port)
            newcomer.send(Self.request)
            answers.open()
            #expect(await isAnswered(all[0]), "the accepting loop has seen the newcomer by now")
            #expect(open == 4, "as many as are allowed")
            blocks.signal()
            #expect(await isAnswered(all[3]))
            #expect(await isAnswered(newcomer))
            #expect(evictions >= 1 && open == 4)
        }
    }

    @Test("where the loop of the one that was asked is busy for long, another connection makes room")
    func anotherMakesRoom() async throws {
        try await withServer(router, loops: 2, limits: Self.limits, metrics: metrics) { port in
            let all = try await connectAll(port)
            all[0].send(get("/wait"))
            all[3].send(get("/block"))
            await blocked.wait()
            let newcomer = try RawConnection(port: port)
            #expect(await isAnswered(newcomer, Self.request), "though the second is still to be closed")
            #expect(evictions == 1 && open == 4)
            #expect(await all[2].readToEnd().isEmpty, "it was the next")
            blocks.signal()
            #expect(await isAnswered(all[3]))
            #expect(await all[1].readToEnd().isEmpty, "it was asked first")
            answers.open()
            #expect(await isAnswered(all[0]))
        }
    }

    @Test("of many newcomers at once each is served, and never more are open than are allowed", arguments: [1, 2, 3])
    func crowd(loops: Int) async throws {
        let most = Locked(0)
        var router = Router()
        router.onImmediate(.get, "/healthz") { _, _ in
            most.withLock { $0 = max($0, open) }
            return .text("ok\n")
        }
        try await withServer(router, loops: loops, limits: Self.limits, metrics: metrics) { port in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        // Who is slow to send its request may have to make room before.
                        while try await !isAnswered(RawConnection(port: port), Self.request) {}
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect((1...4).contains(most.withLock { $0 }))
        #expect(open == 0)
    }
}
