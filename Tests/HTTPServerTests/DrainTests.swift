import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

@Suite struct DrainTests {
    private func waitingRouter(_ arrived: Gate, _ proceed: Gate) -> Router {
        var router = demoRouter()
        router.on(.get, "/wait") { _, _ in
            arrived.open()
            await proceed.wait()
            return .text("done")
        }
        return router
    }

    @Test(.timeLimit(.minutes(4)), arguments: [1, 2])
    func aRequestInHandIsAnsweredAndItsConnectionClosed(loops: Int) async throws {
        let (arrived, proceed, shutdown) = (Gate(), Gate(), GracefulShutdown())
        let text = try await withServer(waitingRouter(arrived, proceed), loops: loops, shutdown: shutdown) { port in
            let idle = try RawConnection(port: port)
            let busy = try RawConnection(port: port)
            busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await arrived.wait()
            shutdown.begin()
            #expect(await idle.readToEnd().isEmpty, "idle connections are closed at once")
            #expect(throws: (any Error).self, "nobody listens any more") { try RawConnection(port: port) }
            proceed.open()
            return await busy.readToEnd()
        }
        #expect(text.contains("Connection: close\r\n") && text.hasSuffix("done"))
    }

    @Test(.timeLimit(.minutes(4)), arguments: [1, 2]) func whoIsStillBusyAtTheDeadlineIsCut(loops: Int) async throws {
        let (arrived, proceed, shutdown) = (Gate(), Gate(), GracefulShutdown())
        var limits = HTTPServerLimits()
        limits.drainTime = .milliseconds(50)
        let router = waitingRouter(arrived, proceed)
        let text = try await withServer(router, loops: loops, limits: limits, shutdown: shutdown) { port in
            let busy = try RawConnection(port: port)
            busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await arrived.wait()
            shutdown.begin()
            let text = await busy.readToEnd()
            proceed.open()  // the task itself is let run: it may move money
            return text
        }
        #expect(text.isEmpty)
    }

    @Test(.timeLimit(.minutes(4)), arguments: [1, 2]) func cancellationStopsAtOnce(loops: Int) async throws {
        let (arrived, proceed) = (Gate(), Gate())
        var configuration = HTTPServerConfiguration(host: "127.0.0.1", port: 0)
        configuration.eventLoops = loops
        let server = HTTPServer(configuration: configuration, router: waitingRouter(arrived, proceed))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let busy = try RawConnection(port: try await server.boundPort)
            busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await arrived.wait()
            group.cancelAll()
            _ = await busy.readToEnd()
        }
        // It ended although the gate was never opened, and nobody listens any more.
        let port = try await server.boundPort
        #expect(throws: (any Error).self) { try RawConnection(port: port) }
    }
}
