import COrchardTLS
import Foundation

/// The TLS side of one connection. Only its loop touches it; no call blocks.
///
/// The handshake is part of the first reads, so that it has no more time than the first request's first byte.
final class TLSSession {
    private let session: OpaquePointer

    /// - Returns: nil when there is no memory for it.
    init?(_ context: TLSContext, descriptor: Int32) {
        guard let session = SSL_new(context.pointer) else { return nil }
        guard SSL_set_fd(session, descriptor) == 1 else {
            SSL_free(session)
            return nil
        }
        SSL_set_accept_state(session)
        self.session = session
    }

    deinit { SSL_free(session) }

    /// Whether the client and this server have agreed.
    var isEstablished: Bool { SSL_is_init_finished(session) == 1 }

    /// Reads what one record of the peer has. There may be more until the result is `.wouldBlock`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult {
        ERR_clear_error()
        let count = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
        return count > 0 ? .bytes(Int(count)) : waits(after: count) ? .wouldBlock : .ended
    }

    /// Sends what the socket accepts.
    ///
    /// - Returns: the count of bytes accepted, 0 when it is full; nil when the connection is broken.
    func send(_ bytes: Span<UInt8>) -> Int? {
        ERR_clear_error()
        let count = bytes.withUnsafeBytes { SSL_write(session, $0.baseAddress, Int32(clamping: $0.count)) }
        return count > 0 ? Int(count) : waits(after: count) ? 0 : nil
    }

    /// Tells the peer that no more is sent, so that it can tell the end from a broken connection.
    func shutdownWrite() {
        guard isEstablished else { return }
        ERR_clear_error()
        _ = SSL_shutdown(session)
    }

    private func waits(after result: Int32) -> Bool {
        let code = SSL_get_error(session, result)
        return code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE
    }
}
