import COrchardTLS
import Foundation
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrchardHTTPServer

/// A crowd that only begins to shake hands must not keep those waiting who have agreed already.
@Suite struct TLSHandshakeTurnTests {
    @Test func aRoundOfTheLoopTakesFewHandshakesAndTakesThemBehindItsEvents() async throws {
        let certificates = try TestCertificates()
        let server = certificates.server
        let loop = try makeLoop(tls: CheckedFile(TLSFiles(certificate: server.certificate, key: server.key)))
        let answered = try await loop.answersInRounds(to: 10, try #require(clientHello()))
        #expect(answered == [0, 4, 8, 10], "after the events, and after each round")
    }

    /// The first bytes of a client.
    private func clientHello() -> [UInt8]? {
        guard let settings = SSL_CTX_new(TLS_client_method()) else { return nil }
        defer { SSL_CTX_free(settings) }
        var pair: [Int32] = [0, 0]
        guard let client = SSL_new(settings),
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0
        else { return nil }
        defer {
            SSL_free(client)
            for descriptor in pair { close(descriptor) }
        }
        SSL_set_fd(client, pair[1])
        SSL_set_connect_state(client)
        SSL_do_handshake(client)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(pair[0], &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}

extension EventLoop {
    /// How many of the clients that said hello at once have got an answer: after the events of their hellos, and after
    /// each round that follows.
    fileprivate func answersInRounds(to count: Int, _ hello: [UInt8]) throws -> [Int] {
        let pairs = try (0..<count).map { _ in try SocketPair() }
        defer {
            for connection in connections.all { remove(connection) }
            for pair in pairs { close(pair.client) }
        }
        var moment = clock.now()
        for pair in pairs {
            let connection = try adopt(pair)
            #expect(send(pair.client, hello, hello.count, 0) == hello.count)
            handle(Poller.Event(token: connection.token, isReadable: true, isEnded: false), at: &moment)
        }
        var answered = [pairs.count(where: \.hasInput)]
        while !handshakes.isEmpty {
            resumeHandshakes(at: &moment)
            answered.append(pairs.count(where: \.hasInput))
        }
        return answered
    }
}
