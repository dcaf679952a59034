import COrchardTLS
import Foundation
import OrchardServiceKit
import SandboxPKI
import SandboxSessions
import SandboxWallet
import TestSupport
import Testing

/// What a merchant's server may get wrong must not end the server of sessions: other merchants use it as well.
@Suite(.timeLimit(.minutes(2))) struct SessionServerTests {
    @Test(
        "a length that is none counts as no body, and the next request is answered",
        arguments: ["-1", "-9223372036854775808", "9223372036854775808", "five", ""])
    func length(_ length: String) async throws {
        let wallet = try Wallet(merchants: ["merchant.com.example.tea"])
        let server = try SessionServer(wallet: wallet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            let client = try MerchantClient(wallet.merchants[0].identity, port: server.port)
            let request = "POST /elsewhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
            for length in [length, "0"] {
                let status = await client.status(of: request + "\(length)\r\n\r\n")
                #expect(status == "HTTP/1.1 404")
            }
            #expect(server.requests.map(\.target) == ["POST /elsewhere", "POST /elsewhere"])
        }
    }
}

/// A merchant's server that sends what it likes.
private final class MerchantClient: @unchecked Sendable {
    // @unchecked: one call after the other uses the session.
    private let settings: OpaquePointer
    private let session: OpaquePointer
    private let socket: Int32

    init(_ identity: Identity, port: Int) throws {
        let folder = try TemporaryFolder()
        let (certificate, key) = (folder.url.appending(path: "cert.pem"), folder.url.appending(path: "key.pem"))
        try Data(identity.certificate.pem.utf8).write(to: certificate)
        try Data(identity.key.pem.utf8).write(to: key)
        settings = try #require(SSL_CTX_new(TLS_client_method()))
        try #require(SSL_CTX_use_certificate_file(settings, certificate.path, SSL_FILETYPE_PEM) == 1)
        try #require(SSL_CTX_use_PrivateKey_file(settings, key.path, SSL_FILETYPE_PEM) == 1)
        session = try #require(SSL_new(settings))
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let socket = socket
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        // A test that waits for an answer that never comes must fail, not hang.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        SSL_set_fd(session, socket)
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(settings)
        close(socket)
    }

    /// Sends a request, and returns the version and status of its answer; empty when there is none.
    func status(of request: String) async -> String {
        let status = Locked("")
        await runOnOwnThread(named: "client") { [self] in
            guard SSL_is_init_finished(session) == 1 || SSL_connect(session) == 1,
                SSL_write(session, request, Int32(request.utf8.count)) > 0
            else { return }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = SSL_read(session, &bytes, Int32(bytes.count))
            guard count > 0 else { return }
            let text = String(decoding: bytes[..<Int(count)].prefix(12), as: UTF8.self)
            status.withLock { $0 = text }
        }
        return status.withLock { $0 }
    }
}
