import COrchardTLS
import Foundation
import SandboxPKI

/// One connection of a client that has shown its certificate. Only its own thread touches it.
final class TLSConnection {
    private let session: OpaquePointer
    /// The client's certificate.
    let peer: Certificate
    private var waiting: [UInt8] = []

    /// Shakes hands; nil for a client that shows no certificate of the authority.
    init?(descriptor: Int32, _ context: TLSContext) {
        // A client that has gone must not end the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard let session = SSL_new(context.pointer) else { return nil }
        guard SSL_set_fd(session, descriptor) == 1, SSL_accept(session) == 1,
            let certificate = SSL_get1_peer_certificate(session)
        else {
            SSL_free(session)
            return nil
        }
        defer { X509_free(certificate) }
        var der = [UInt8](repeating: 0, count: Int(max(0, i2d_X509(certificate, nil))))
        der.withUnsafeMutableBufferPointer { bytes in
            var end = bytes.baseAddress
            _ = i2d_X509(certificate, &end)
        }
        guard let peer = try? Certificate(der: der) else {
            SSL_free(session)
            return nil
        }
        self.session = session
        self.peer = peer
    }

    deinit { SSL_free(session) }

    /// The next request's head and body; nil when the client has gone, or does not speak HTTP.
    func request() -> (head: String, body: [UInt8])? {
        let end = Array("\r\n\r\n".utf8)
        while waiting.firstRange(of: end) == nil {
            guard waiting.count < 65_536, read() else { return nil }
        }
        guard let range = waiting.firstRange(of: end) else { return nil }
        let head = String(decoding: waiting[..<range.lowerBound], as: UTF8.self)
        waiting.removeFirst(range.upperBound)
        let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        let count = min(max(0, length ?? 0), 1 << 20)
        while waiting.count < count { guard read() else { return nil } }
        defer { waiting.removeFirst(count) }
        return (head, Array(waiting[..<count]))
    }

    /// Returns whether all of it was taken.
    func write(_ bytes: [UInt8]) -> Bool { SSL_write(session, bytes, Int32(bytes.count)) == bytes.count }

    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = SSL_read(session, &buffer, Int32(buffer.count))
        guard count > 0 else { return false }
        waiting += buffer[..<Int(count)]
        return true
    }
}
