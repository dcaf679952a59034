import COrchardTLS
import Foundation
import OrchardHTTPServer
import OrchardServiceKit
import TestSupport
import Testing

/// A crowd that only begins to shake hands must not keep those waiting who have agreed already.
@Suite(.timeLimit(.minutes(2))) struct TLSHandshakeTurnTests {
    private static let crowd = 200

    @Test func aRequestIsAnsweredBeforeMostHandshakesThatBeganEarlier() async throws {
        let certificates = try TestCertificates()
        let server = certificates.server
        let tls = try CheckedFile(TLSFiles(certificate: server.certificate, key: server.key))
        try await withServer(demoRouter(isImmediate: true), loops: 1, tls: tls) { port in
            let hello = try #require(clientHello())
            let client = try BlockingTLSClient(port: port)
            let crowd = try (0..<Self.crowd).map { _ in try RawConnection(port: port) }
            #expect(try await client.get("/healthz").hasPrefix("HTTP/1.1 200 "))
            for connection in crowd { connection.send(hello) }
            #expect(try await client.get("/healthz").hasPrefix("HTTP/1.1 200 "))
            let answered = crowd.count { $0.hasInput }
            #expect(answered < Self.crowd / 2, "\(answered) handshakes went before the request")
            try await eventually { crowd.allSatisfy(\.hasInput) }
        }
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

/// A client that has agreed on TLS 1.3, and sends one request after the other.
private final class BlockingTLSClient: @unchecked Sendable {
    // @unchecked: one call after the other uses the session.
    private let settings: OpaquePointer
    private let session: OpaquePointer
    private let socket: Int32

    init(port: Int) throws {
        settings = try #require(SSL_CTX_new(TLS_client_method()))
        session = try #require(SSL_new(settings))
        socket = try RawConnection.socket(port: port)
        SSL_set_fd(session, socket)
        try #require(SSL_connect(session) == 1)
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(settings)
        close(socket)
    }

    /// The answer, up to its first empty line and what came with that.
    func get(_ path: String) async throws -> String {
        let answer = Locked("")
        await runOnOwnThread(named: "client") { [self] in
            let request = "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"
            guard SSL_write(session, request, Int32(request.utf8.count)) > 0 else { return }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = SSL_read(session, &bytes, Int32(bytes.count))
            guard count > 0 else { return }
            let text = String(decoding: bytes[..<Int(count)], as: UTF8.self)
            answer.withLock { $0 = text }
        }
        return answer.withLock { $0 }
    }
}
