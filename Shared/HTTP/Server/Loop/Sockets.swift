import CEpoll
import Foundation

/// The socket calls of the server; none blocks.
enum Sockets {
    enum ReadResult {
        case bytes(Int)
        case wouldBlock
        case ended
    }

    /// Opens a listening socket.
    ///
    /// - Returns: the descriptor and the port it got.
    static func listen(host: String, port: Int) throws(HTTPServerError) -> (descriptor: Int32, port: Int) {
        func failure(_ call: String, _ code: Int32) -> HTTPServerError {
            HTTPServerError(
                .listen, "cannot listen on \(host) port \(port): \(call): \(String(cString: strerror(code)))")
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard (0...65_535).contains(port), getaddrinfo(host, String(port), &hints, &list) == 0, let address = list
        else {
            throw HTTPServerError(.listen, "\(host) port \(port) is not an address of this machine")
        }
        defer { freeaddrinfo(list) }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.pointee.ai_family, type, 0)
        guard descriptor >= 0 else { throw failure("socket", errno) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
            Foundation.listen(descriptor, SOMAXCONN) == 0
        else {
            let code = errno
            close(descriptor)
            throw failure("bind", code)
        }
        return (descriptor, localPort(of: descriptor))
    }

    /// Accepts a waiting connection.
    ///
    /// - Returns: its descriptor, or the negative error number.
    static func accept(_ listener: Int32) -> Int32 {
        let descriptor = orchard_accept(listener)
        guard descriptor >= 0 else { return -errno }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            guard count < 0, errno == EINTR else { return count < 0 && errno == EAGAIN ? .wouldBlock : .ended }
        }
    }

    /// Sends what the socket accepts.
    ///
    /// - Returns: the count of bytes accepted, 0 when it is full; nil when the connection is broken.
    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Int? {
        bytes.withUnsafeBytes { bytes in
            while true {
                let count = Foundation.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                if count >= 0 { return count }
                guard errno == EINTR else { return errno == EAGAIN ? 0 : nil }
            }
        }
    }

    /// Gives a socket back.
    static func end(_ descriptor: Int32) { close(descriptor) }

    /// Closes the sending side.
    static func shutdownWrite(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    private static func localPort(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
            // The port stands at the same place in sockaddr_in and sockaddr_in6.
            return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }
}
