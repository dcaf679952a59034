import Foundation
import OrchardServiceKit

/// A port of this machine, and the sockets of its clients. Blocking; each user has a thread.
final class TLSListener: Sendable {
    private struct State {
        var isStopped = false
        var clients: Set<Int32> = []
    }

    private let descriptor: Int32
    let port: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - host: an IPv4 address.
    ///   - port: 0 for a free one.
    init(host: String, port: Int) throws {
        var address = sockaddr_in()
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw TLSError("\(host) is no IPv4 address") }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw TLSError("\(host):\(port) cannot be bound")
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// Waits for the next client; nil after ``stop()``.
    func next() -> Int32? {
        while true {
            let client = accept(descriptor, nil, nil)
            if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard client >= 0 else { return nil }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let isStopped = state.withLock { state in
                if !state.isStopped { state.clients.insert(client) }
                return state.isStopped
            }
            guard isStopped else { return client }
            close(client)
            return nil
        }
    }

    /// The client is done with.
    func end(_ client: Int32) {
        state.withLock { _ = $0.clients.remove(client) }
        close(client)
    }

    /// Ends all waiting.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for client in state.clients { shutdown(client, Int32(SHUT_RDWR)) }
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
