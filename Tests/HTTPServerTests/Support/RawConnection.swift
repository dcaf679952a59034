import Foundation
import OrchardServiceKit

/// A client's socket that sends bytes as they are. Its calls block, so they run on threads of their own.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init(port: Int) throws { descriptor = try Self.socket(port: port) }

    /// A connected socket, which the caller closes.
    static func socket(port: Int) throws -> Int32 {
        // Once in some hundred runs the kernel left every SYN of one socket unanswered for two minutes, while others
        // were answered. A second socket has another port, and tells that from a server that does not listen.
        let descriptor = try connect(to: port, attempts: 2)
        // A test that waits for bytes that never come must fail, not hang.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    private static func connect(to port: Int, attempts: Int) throws -> Int32 {
        let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Three more SYNs: some seconds.
        var repetitions: Int32 = 3
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_SYNCNT, &repetitions, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result != 0 else { return descriptor }
        let number = errno
        close(descriptor)
        if number == ETIMEDOUT, attempts > 1 { return try connect(to: port, attempts: attempts - 1) }
        throw Unreachable(port: port, number: number)
    }

    /// Why there is no connection, with the sockets that the kernel has at the port.
    private struct Unreachable: Error, CustomStringConvertible {
        let description: String

        init(port: Int, number: Int32) {
            let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
            let place = ":" + String(format: "%04X", port) + " "
            let sockets = table.split(separator: "\n").filter { $0.contains(place) }.prefix(20)
            description =
                "port \(port): \(String(cString: strerror(number))); /proc/net/tcp has:\n"
                + sockets.joined(separator: "\n")
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether bytes have come that were not read.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything until the server closes.
    func readToEnd() async -> String { await read { _ in false } }

    /// Everything until the text read so far ends so, or the server closes.
    func read(until suffix: String) async -> String { await read { $0.hasSuffix(suffix) } }

    /// Everything until it is enough, or the server closes.
    func read(_ isEnough: @escaping @Sendable (String) -> Bool) async -> String {
        let text = Locked("")
        await runOnOwnThread(named: "test") { [descriptor] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            var bytes: [UInt8] = []
            while !isEnough(String(decoding: bytes, as: UTF8.self)) {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
            let all = bytes
            text.withLock { $0 = String(decoding: all, as: UTF8.self) }
        }
        return text.withLock { $0 }
    }
}
