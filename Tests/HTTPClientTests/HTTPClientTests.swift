import FaultyServer
import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(4))) struct HTTPClientTests {
    @Test func theRequestIsSentAsGivenAndNothingIsAdded() async throws {
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            peer.answer("")
        }
        let request = HTTPClientRequest(
            method: .post, url: server.url + "a?b=%20c", fields: ["Content-Type": "text/plain", "X-Empty": ""],
            body: Array("hello".utf8))
        let outcome = try await withClient { await $0.send(request) }
        #expect(outcome.answer?.status == .ok)
        #expect(
            server.requests == [
                "POST /a?b=%20c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Type: text/plain\r\nX-Empty:\r\n"
                    + "Content-Length: 5\r\n\r\nhello"
            ])
    }

    @Test func aRequestInsideATraceCarriesASpanOfIt() async throws {
        let server = try FaultyServer { peer, _ in
            while peer.readRequest() != nil { peer.answer("") }
        }
        let trace = TraceContext.random()
        try await withClient { client in
            await TraceContext.$current.withValue(trace) {
                _ = await client.send(HTTPClientRequest(method: .get, url: server.url))
                _ = await client.send(
                    HTTPClientRequest(method: .get, url: server.url, fields: ["Traceparent": "the caller's"]))
            }
            _ = await client.send(HTTPClientRequest(method: .get, url: server.url))
        }
        let sent = server.requests.map { request in
            request.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("traceparent:") }.map(String.init)
        }
        try #require(sent.count == 3)
        let field = try #require(sent[0].first)
        let own = try #require(TraceContext(traceparent: String(field.dropFirst("traceparent: ".count))))
        #expect(own.traceID == trace.traceID && own.spanID != trace.spanID)
        #expect(sent[1] == ["Traceparent: the caller's"])
        #expect(sent[2] == [])
    }

    @Test(arguments: [HTTPMethod.get, .head, .delete, .put, .patch, .post, .options])
    func eachMethodIsSentAsItself(_ method: HTTPMethod) async throws {
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            peer.answer("")
        }
        let outcome = try await withClient { await $0.send(HTTPClientRequest(method: method, url: server.url)) }
        #expect(outcome.answer?.status == .ok, "\(outcome)")
        #expect(server.requests.first?.hasPrefix("\(method) / HTTP/1.1\r\n") == true)
    }

    @Test func aRedirectIsAnAnswer() async throws {
        let server = try FaultyServer { peer, _ in
            while peer.readRequest() != nil {
                peer.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let outcome = try await withClient { await $0.send(HTTPClientRequest(method: .post, url: server.url)) }
        #expect(outcome.answer?.status.code == 307)
        #expect(server.requests.count == 1)
    }

    // Unless it is told otherwise, libcurl keeps no more than four connections for each request that is still on its way.
    @Test func theConnectionsOfABurstServeTheNext() async throws {
        let burst = 12
        let connections = Locked(0)
        let received = Locked(0)
        let server = try FaultyServer { peer, _ in
            connections.withLock { $0 += 1 }
            while peer.readRequest() != nil {
                let number = received.withLock { count in
                    count += 1
                    return count
                }
                // Answered when all of the burst are here, each on its own connection, and one after the other.
                let last = (number + burst - 1) / burst * burst
                while received.withLock({ $0 }) < last { usleep(1_000) }
                usleep(UInt32(number % burst) * 4_000)
                peer.answer("")
            }
        }
        try await withClient { client in
            for _ in 0..<3 {
                await withDiscardingTaskGroup { requests in
                    for _ in 0..<burst {
                        requests.addTask { _ = await client.send(HTTPClientRequest(method: .get, url: server.url)) }
                    }
                }
            }
        }
        #expect(received.withLock { $0 } == 3 * burst)
        #expect(connections.withLock { $0 } == burst)
    }

    @Test func manyRequestsAtOnceEachGetTheirOwnAnswer() async throws {
        var router = Router()
        router.on(.post, "/echo") { request, _ in HTTPResponse(status: .ok, body: request.body) }
        let server = HTTPServer(configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: router)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let url = "http://127.0.0.1:\(try await server.boundPort)/echo"
            try await withClient { client in
                await withTaskGroup(of: Bool.self) { requests in
                    for number in 0..<200 {
                        requests.addTask {
                            let body = Array("\(number)".utf8)
                            let request = HTTPClientRequest(method: .post, url: url, body: body)
                            return await client.send(request).answer?.body == body
                        }
                    }
                    for await isOwn in requests { #expect(isOwn) }
                }
            }
            group.cancelAll()
        }
    }

    @Test(arguments: [
        "http://example.com/", "ftp://127.0.0.1/", "127.0.0.1", "http://127.0.0.1.example.com/",
        "https://user@127.0.0.1/",
        "http://127.0.0.1/#x", "http://127.0.0.1/a b",
    ])
    func aURLThatMustNotBeCalledIsNotSent(_ url: String) async throws {
        let outcome = try await withClient { await $0.send(HTTPClientRequest(method: .post, url: url)) }
        #expect(outcome.report == "notSent" && outcome.failure?.code == .invalidRequest)
    }

    @Test(arguments: [
        ("X-A", "a\r\nX-B: b"), ("X-A", "a\0"), ("X A", "b"), ("", "b"), ("content-length", "3"), ("Host", "b"),
        ("Transfer-Encoding", "chunked"), ("Expect", "100-continue"), ("Connection", "close"),
    ])
    func aFieldThatCouldChangeTheMessageIsNotSent(_ name: String, _ value: String) async throws {
        let server = try FaultyServer { peer, _ in peer.readRequest() }
        let request = HTTPClientRequest(method: .post, url: server.url, fields: [name: value])
        let outcome = try await withClient { await $0.send(request) }
        #expect(outcome.report == "notSent" && outcome.failure?.code == .invalidRequest)
    }

    @Test func aCancelledTaskGetsItsOutcomeAtOnce() async throws {
        let arrived = Gate()
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            arrived.open()
            peer.waitForEnd()
        }
        try await withClient { client in
            let request = HTTPClientRequest(method: .post, url: server.url)
            let outcome = await withTaskGroup(of: HTTPOutcome.self) { group in
                group.addTask { await client.send(request) }
                await arrived.wait()
                group.cancelAll()
                return await group.next()
            }
            #expect(outcome?.report == "unknown" && outcome?.failure?.code == .cancelled)

            let early = await withTaskGroup(of: HTTPOutcome.self) { group in
                group.cancelAll()
                group.addTask { await client.send(request) }
                return await group.next()
            }
            #expect(early?.report == "notSent" && early?.failure?.code == .cancelled)
        }
        #expect(server.requests.count == 1)
    }

    @Test func aGracefulShutdownLetsRequestsEndAndTakesNoMore() async throws {
        let (arrived, proceed) = (Gate(), Gate())
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            arrived.open()
            proceed.block()
            peer.answer("late")
        }
        let client = HTTPClient()
        let shutdown = GracefulShutdown()
        let request = HTTPClientRequest(method: .post, url: server.url)
        try await withThrowingTaskGroup(of: HTTPOutcome?.self) { group in
            group.addTask { await client.send(request) }
            group.addTask {
                try await GracefulShutdown.$current.withValue(shutdown) { try await client.run() }
                return nil
            }
            await arrived.wait()
            shutdown.begin()
            let refused = await client.send(request)
            #expect(refused.report == "notSent" && refused.failure?.code == .stopped)
            proceed.open()
            for try await outcome in group {
                if let outcome { #expect(outcome.answer?.body == Array("late".utf8)) }
            }
        }
        #expect(server.requests.count == 1)
    }

    @Test func cancellationOfTheServiceEndsEveryRequest() async throws {
        let arrived = Gate()
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            arrived.open()
            peer.waitForEnd()
        }
        let client = HTTPClient()
        let run = Task { try await client.run() }
        async let outcome = client.send(HTTPClientRequest(method: .post, url: server.url))
        await arrived.wait()
        run.cancel()
        #expect(await outcome.report == "unknown")
        #expect(await outcome.failure?.code == .stopped)
        try await run.value
    }
}
