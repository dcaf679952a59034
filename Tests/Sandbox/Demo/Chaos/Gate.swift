import Foundation
import OrchardServiceKit
import SandboxBroker

/// A proxy between the gateways and the acquirer that can be shut. While it is shut, new connections get not even an
/// answer to their SYN. So a gateway that has committed its intent cannot send: that is the moment to kill it.
final class Gate: Sendable {
    /// The address at which the gateways reach the acquirer.
    let address: String
    private let listener: Int32
    private let acquirer: sockaddr_in
    private let state = Locked(State())

    private struct State {
        var isShut = false
        /// Both ends of the connections through the gate.
        var sockets: Set<Int32> = []
        /// Our own connections that fill the queue of the listener, so that it drops further ones.
        var fillers: [Int32] = []
    }

    /// - Parameter acquirerPort: the acquirer's port on 127.0.0.1.
    init(acquirerPort: Int) throws {
        let port = try FreePorts.take(1)[0]
        acquirer = loopback(acquirerPort)
        address = "http://127.0.0.1:\(port)"
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = descriptor
        var own = loopback(port)
        // A queue of one: with one connection waiting there, the kernel drops the SYNs of further ones.
        guard descriptor >= 0, withAddress(&own, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 0) == 0 else {
            throw DemoError("the gate cannot listen on port \(port): errno \(errno)")
        }
        Thread.detachNewThread { [self] in accept() }
    }

    /// Whether the gate is shut.
    var isShut: Bool { state.withLock { $0.isShut } }

    /// Cuts all connections and accepts no more.
    func shut() {
        let sockets = state.withLock { state in
            state.isShut = true
            return state.sockets
        }
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        for _ in 0..<4 { fill() }
    }

    /// Accepts connections again.
    func open() {
        let fillers = state.withLock { state in
            state.isShut = false
            defer { state.fillers = [] }
            return state.fillers
        }
        for filler in fillers { close(filler) }
    }

    /// One more connection for the listener's queue; it may hang like any other.
    private func fill() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0, let port = Int(address.split(separator: ":").last ?? "") else { return }
        var own = loopback(port)
        _ = withAddress(&own) { connect(descriptor, $0, $1) }
        state.withLock { $0.fillers.append(descriptor) }
    }

    private func accept() {
        while true {
            while state.withLock({ $0.isShut }) { usleep(5_000) }
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var target = acquirer
            guard withAddress(&target, { connect(server, $0, $1) }) == 0 else {
                close(client)
                close(server)
                continue
            }
            let isShut = state.withLock { state in
                state.sockets.formUnion([client, server])
                return state.isShut
            }
            if isShut { for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) } }
            let pair = Pair(client: client, server: server)
            Thread.detachNewThread { [self] in pump(pair.client, pair.server, pair) }
            Thread.detachNewThread { [self] in pump(pair.server, pair.client, pair) }
        }
    }

    /// A connection and how many of its two directions are done.
    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        let done = Locked(0)

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }
    }

    private func pump(_ source: Int32, _ target: Int32, _ pair: Pair) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        copying: while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { break copying }
                sent += written
            }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
        guard
            pair.done.withLock({ done in
                done += 1
                return done == 2
            })
        else { return }
        state.withLock { $0.sockets.subtract([pair.client, pair.server]) }
        close(pair.client)
        close(pair.server)
    }
}

private func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
}

private func withAddress(_ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
