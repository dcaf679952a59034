import FaultyServer
import OrchardHTTPClient
import OrchardHTTPTypes
import TestSupport
import Testing

/// What the client says of a POST whose answer is missing, spoiled or not its own.
@Suite(.timeLimit(.minutes(4))) struct LostAnswerTests {
    private func post(_ server: FaultyServer, body: String = "{}", timeout: Duration? = nil) -> HTTPClientRequest {
        HTTPClientRequest(method: .post, url: server.url, body: Array(body.utf8), timeout: timeout)
    }

    @Test(arguments: [
        "", "H", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{", "HTTP/1.1 200 OK\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nContent-Length: 2\r\n\r\n{}", "{}",
        "\r\n",
        "HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\n{}", "SSH-2.0-OpenSSH\r\n",
    ])
    func anAnswerThatIsNotWholeIsUnknown(_ bytes: String) async throws {
        for resets in [false, true] {
            let server = try FaultyServer { peer, _ in
                peer.readRequest()
                peer.send(bytes)
                if resets { peer.reset() }
            }
            let outcome = try await withClient { await $0.send(post(server)) }
            #expect(outcome.report == "unknown", "\(outcome)")
            #expect(server.requests.count == 1)
        }
    }

    @Test func anAnswerWithoutEndIsMarked() async throws {
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            peer.send("HTTP/1.1 200 OK\r\n\r\n{}")
        }
        let outcome = try await withClient { await $0.send(post(server)) }
        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(answer.isCloseDelimited && answer.response.body == Array("{}".utf8))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ])
    func aWholeAnswerIsTaken(_ bytes: String) async throws {
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            peer.send(bytes)
        }
        let outcome = try await withClient { await $0.send(post(server)) }
        let answer = try #require(outcome.answer, "\(outcome)")
        #expect(answer.status == .ok && answer.body == Array("{}".utf8))
        #expect(answer.fields["X"] == nil, "an interim answer's fields are not the answer's")
    }

    @Test func aRequestIsNotSentAgainWhenItsConnectionDies() async throws {
        let server = try FaultyServer { peer, number in
            while peer.readRequest()?.hasSuffix("first") == true { peer.answer("{}") }
            // Any other request is read and the connection closed: libcurl would now send it again.
        }
        try await withClient { client in
            #expect(await client.send(post(server, body: "first")).report == "success")
            let outcome = await client.send(post(server, body: "second"))
            #expect(outcome.report == "unknown", "\(outcome)")
            #expect(outcome.failure?.code == .resendRefused)
        }
        #expect(server.requests.count == 2)
    }

    @Test func aConnectionThatWasClosedWhileIdleIsReplaced() async throws {
        let closed = Gate()
        let server = try FaultyServer { peer, number in
            peer.readRequest()
            peer.answer("\(number)")
            if number == 0 {
                peer.close()
                closed.open()
            }
        }
        try await withClient { client in
            #expect(await client.send(post(server)).answer?.body == Array("0".utf8))
            await closed.wait()
            #expect(await client.send(post(server)).answer?.body == Array("1".utf8))
        }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["200 OK", "408 Request Timeout"])
    func aStrayAnswerIsNeverTheNextRequests(_ status: String) async throws {
        let (answered, spoiled) = (Gate(), Gate())
        let server = try FaultyServer { peer, number in
            peer.readRequest()
            peer.answer("own \(number)")
            if number == 0 {
                answered.block()
                peer.answer("stray", status: status)
                spoiled.open()
            }
            peer.waitForEnd()
        }
        try await withClient { client in
            #expect(await client.send(post(server)).answer?.body == Array("own 0".utf8))
            answered.open()
            await spoiled.wait()
            #expect(await client.send(post(server)).answer?.body == Array("own 1".utf8))
        }
        #expect(server.requests.count == 2)
    }

    @Test func silenceIsUnknownAfterTheTotalTime() async throws {
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            peer.waitForEnd()
        }
        let outcome = try await withClient { await $0.send(post(server, timeout: .seconds(2))) }
        #expect(outcome.report == "unknown" && outcome.failure?.code == .timeout)
    }

    // Failure scenario 7.
    @Test func whereNobodyListensNothingWasSent() async throws {
        var port = 0
        do { port = try FaultyServer { _, _ in }.port }
        let request = HTTPClientRequest(method: .post, url: "http://127.0.0.1:\(port)/", body: [1])
        let outcome = try await withClient { await $0.send(request) }
        #expect(outcome.report == "notSent" && outcome.failure?.code == .connect)
    }

    // Failure scenario 7.
    @Test func whereNobodyHasTheNameNothingWasSent() async throws {
        // RFC 2606: no name ends in it.
        let request = HTTPClientRequest(method: .post, url: "https://acquirer.invalid/", body: [1])
        let outcome = try await withClient { await $0.send(request) }
        #expect(outcome.report == "notSent" && outcome.failure?.code == .nameResolution, "\(outcome)")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n12345678901",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 200) + "\r\nContent-Length: 0\r\n\r\n",
        String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 10),
    ])
    func anAnswerAboveTheLimitIsUnknown(_ bytes: String) async throws {
        let server = try FaultyServer { peer, _ in
            peer.readRequest()
            peer.send(bytes)
            peer.waitForEnd()
        }
        var configuration = HTTPClientConfiguration()
        configuration.maximumBody = 10
        configuration.maximumHead = 200
        let outcome = try await withClient(configuration) { await $0.send(post(server)) }
        #expect(outcome.report == "unknown" && outcome.failure?.code == .answerTooLarge, "\(outcome)")
    }
}
