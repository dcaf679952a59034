import Foundation

/// The sockets that libcurl has open, to check whether unrequested input waits on a connection.
///
/// libcurl 7.88 uses an idle connection again although input waits there, and treats a stray answer (for example the
/// 408 that some proxies send at a time-out) as the answer to the next request. Only the client's thread touches this.
final class ConnectionSockets {
    private struct Entry {
        var localPort: UInt16?
        var hasCarriedRequest = false
    }

    private var entries: [Int32: Entry] = [:]

    /// Opens a socket for libcurl.
    ///
    /// - Returns: its descriptor, or −1.
    func open(family: Int32, type: Int32, protocol kind: Int32) -> Int32 {
        let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), kind)
        if descriptor >= 0 { entries[descriptor] = Entry() }
        return descriptor
    }

    func close(_ descriptor: Int32) -> Int32 {
        entries[descriptor] = nil
        return Foundation.close(descriptor)
    }

    /// Whether bytes or the end wait on the connection with this local port, which is about to be used.
    ///
    /// - Parameter isSecure: a new TLS connection may have unread session tickets, which are no answer.
    func hasUnreadInput(localPort: UInt16, isSecure: Bool) -> Bool {
        var found = false
        for (descriptor, entry) in entries where (entry.localPort ?? readPort(of: descriptor)) == localPort {
            if entry.hasCarriedRequest || !isSecure { found = found || Self.isReadable(descriptor) }
            entries[descriptor]?.hasCarriedRequest = true
        }
        return found
    }

    /// The local port, stored when the socket has one.
    private func readPort(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port = withUnsafeMutablePointer(to: &storage) { storage in
            let result = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
            guard result == 0 else { return UInt16(0) }
            // The port stands at the same place in sockaddr_in and sockaddr_in6.
            return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
        guard port != 0 else { return nil }
        entries[descriptor]?.localPort = port
        return port
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count >= 0 || errno != EAGAIN
    }
}
