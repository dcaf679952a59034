import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

/// What becomes of a request's task when its client is gone.
@Suite struct ClientDepartureTests {
    /// Whether the request's task was cancelled.
    private func leave(_ whenClientLeaves: WhenClientLeaves) async throws -> Bool {
        let arrived = Gate()
        let proceed = Gate()
        let ended = Gate()
        let wasCancelled = Locked(false)
        let metrics = MetricsRegistry()
        var router = Router()
        router.on(.get, "/wait", whenClientLeaves: whenClientLeaves) { _, _ in
            arrived.open()
            await proceed.wait()
            wasCancelled.withLock { $0 = Task.isCancelled }
            ended.open()
            return .text("late")
        }
        return try await withServer(router, metrics: metrics) { port in
            do {
                let connection = try RawConnection(port: port)
                connection.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
                await arrived.wait()
            }  // the connection is closed here
            let open = metrics.gauge("http_server_open_connections", help: "")
            try await eventually { open.value == 0 }
            if whenClientLeaves == .finish { proceed.open() }
            await ended.wait()
            return wasCancelled.withLock { $0 }
        }
    }

    @Test(.timeLimit(.minutes(4))) func aLongPollIsCancelled() async throws {
        #expect(try await leave(.cancel))
    }

    @Test(.timeLimit(.minutes(4))) func whatMovesMoneyRunsToItsEnd() async throws {
        #expect(try await !leave(.finish))
    }

    @Test(.timeLimit(.minutes(4))) func aLongPollWhoseClientStaysIsAnswered() async throws {
        let arrived = Gate()
        let proceed = Gate()
        var router = Router()
        router.on(.get, "/wait", whenClientLeaves: .cancel) { _, _ in
            arrived.open()
            await proceed.wait()
            return .text("done")
        }
        let text = try await withServer(router) { port in
            let connection = try RawConnection(port: port)
            connection.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            await arrived.wait()
            proceed.open()
            return await connection.readToEnd()
        }
        #expect(text.hasSuffix("done"))
    }
}
