import COrchardTLS
import Foundation
import TestSupport
import Testing

@testable import OrchardHTTPServer

/// One connection's TLS, without a loop: what a client may do after the handshake.
@Suite struct TLSSessionTests {
    /// Its files are there as long as it is.
    private let certificates: TestCertificates
    private let context: TLSContext

    init() throws {
        certificates = try TestCertificates()
        let identity = certificates.server
        context = try TLSContext(TLSFiles(certificate: identity.certificate, key: identity.key))
    }

    @Test func aReadReturnsAlthoughUpdatesOfKeysNeverEnd() throws {
        try withPair { session, client, _ in
            // More than one call may read: 200 records without data, and then some.
            for _ in 0..<200 {
                SSL_key_update(client, SSL_KEY_UPDATE_NOT_REQUESTED)
                try #require(SSL_do_handshake(client) == 1)
            }
            try #require(SSL_write(client, "data", 4) == 4)
            var pauses = 0
            while read(session) == nil, session.hasMore { pauses += 1 }
            #expect(pauses == 6, "200 records in shares of 32")
            #expect(read(session) == nil && !session.hasMore)
        }
    }

    @Test func whatEndsAfterTheHandshakeIsNoFailedHandshake() throws {
        try withPair { session, client, descriptor in
            try #require(SSL_write(client, "data", 4) == 4)
            #expect(read(session) == "data")
            // Without the message that announces the end, as many clients do.
            shutdown(descriptor, Int32(SHUT_RDWR))
            #expect(read(session) == nil && session.isEstablished)
        }
    }

    @Test func whatEndsBeforeItIsOne() throws {
        try withPair(agreed: false) { session, _, descriptor in
            shutdown(descriptor, Int32(SHUT_RDWR))
            #expect(read(session) == nil && !session.isEstablished)
        }
    }

    private func read(_ session: TLSSession) -> String? {
        var memory = [UInt8](repeating: 0, count: 1_024)
        return memory.withUnsafeMutableBytes { memory in
            guard case .bytes(let count) = session.read(into: memory) else { return nil }
            return String(decoding: memory[..<count], as: UTF8.self)
        }
    }

    /// - Parameter body: gets the server's side, and the client's with its descriptor.
    private func withPair(
        agreed: Bool = true, _ body: (TLSSession, OpaquePointer, Int32) throws -> Void
    ) throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        let session = try #require(TLSSession(context, descriptor: pair[0]))
        let settings = try #require(SSL_CTX_new(TLS_client_method()))
        defer { SSL_CTX_free(settings) }
        let client = try #require(SSL_new(settings))
        defer { SSL_free(client) }
        try #require(SSL_set_fd(client, pair[1]) == 1)
        SSL_set_connect_state(client)
        for _ in 0..<20 where agreed && !(session.isEstablished && SSL_is_init_finished(client) == 1) {
            SSL_do_handshake(client)
            _ = read(session)
        }
        try #require(session.isEstablished == agreed)
        try body(session, client, pair[1])
    }
}
