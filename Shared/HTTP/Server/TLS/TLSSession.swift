import COrchardTLS
import Foundation

/// The TLS side of one connection. Only its loop touches it; no call blocks.
///
/// The handshake is part of the first reads, so that it has no more time than the first request's first byte.
final class TLSSession {
    private let session: OpaquePointer
    /// Whether the client and this server have agreed, however the connection ended later.
    private(set) var isEstablished = false
    /// Whether the last read stopped because it had done its share, so that there may be more.
    private(set) var hasMore = false

    /// What one call may read of records that carry no data, so that no connection keeps the others waiting.
    private static let records: UInt = 32

    /// - Returns: nil when there is no memory for it.
    init?(_ context: TLSContext, descriptor: Int32) {
        guard let session = SSL_new(context.pointer) else { return nil }
        guard SSL_set_fd(session, descriptor) == 1 else {
            SSL_free(session)
            return nil
        }
        SSL_set_accept_state(session)
        orchard_tls_count_reads(session)
        self.session = session
    }

    deinit { SSL_free(session) }

    /// Reads what one record of the peer has. There may be more until the result is `.wouldBlock` without ``hasMore``.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult {
        ERR_clear_error()
        orchard_tls_allow_reads(session, 2 * Self.records)
        if !isEstablished {
            let result = SSL_do_handshake(session)
            guard result == 1 else { return pause(after: result) }
            isEstablished = true
        }
        let count = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
        guard count > 0 else { return pause(after: count) }
        hasMore = true
        return .bytes(Int(count))
    }

    private func pause(after result: Int32) -> Sockets.ReadResult {
        let code = SSL_get_error(session, result)
        hasMore = code == SSL_ERROR_WANT_READ && orchard_tls_has_read_all_allowed(session) == 1
        return code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE ? .wouldBlock : .ended
    }

    /// Sends what the socket accepts.
    ///
    /// - Returns: the count of bytes accepted, 0 when it is full; nil when the connection is broken.
    func send(_ bytes: Span<UInt8>) -> Int? {
        ERR_clear_error()
        let count = bytes.withUnsafeBytes { SSL_write(session, $0.baseAddress, Int32(clamping: $0.count)) }
        guard count <= 0 else { return Int(count) }
        let code = SSL_get_error(session, count)
        return code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE ? 0 : nil
    }

    /// Tells the peer that no more is sent, so that it can tell the end from a broken connection.
    func shutdownWrite() {
        guard isEstablished else { return }
        ERR_clear_error()
        _ = SSL_shutdown(session)
    }
}
