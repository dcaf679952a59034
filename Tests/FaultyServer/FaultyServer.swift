import Foundation
import OrchardServiceKit

/// A server on loopback that does to each connection what a script says, and counts the requests that came in full.
public final class FaultyServer: Sendable {
    public let port: Int
    private let listener: Int32
    private let ended = DispatchSemaphore(value: 0)
    private let received = Locked<[String]>([])

    /// The requests that came in full, as text.
    public var requests: [String] { received.withLock { $0 } }
    /// Its address.
    public var url: String { "http://127.0.0.1:\(port)/" }

    /// - Parameter script: gets each connection with its number, from 0, on a thread of its own.
    public init(_ script: @escaping @Sendable (FaultyPeer, Int) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [listener, received, ended] in
            var number = 0
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                let peer = FaultyPeer(descriptor) { text in received.withLock { $0.append(text) } }
                Thread { [number] in
                    script(peer, number)
                    peer.close()
                }.start()
                number += 1
            }
            close(listener)
            ended.signal()
        }.start()
    }

    deinit {
        // The thread closes the descriptor, which would else be another server's when it next accepts.
        shutdown(listener, Int32(SHUT_RDWR))
        ended.wait()
    }
}

/// One connection of the ``FaultyServer``; its calls block.
public final class FaultyPeer: Sendable {
    private let descriptor: Int32
    private let isClosed = Locked(false)
    private let note: @Sendable (String) -> Void

    init(_ descriptor: Int32, note: @escaping @Sendable (String) -> Void) {
        self.descriptor = descriptor
        self.note = note
    }

    /// Reads a request with its body to the end and counts it.
    ///
    /// - Returns: the request; nil when the client is gone.
    @discardableResult
    public func readRequest() -> String? {
        var text = ""
        while !Self.isComplete(text) {
            guard let more = read() else { return nil }
            text += more
        }
        note(text)
        return text
    }

    /// Waits until the client is gone.
    public func waitForEnd() { while read() != nil {} }

    /// Sends bytes as they are.
    public func send(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Answers with a body.
    ///
    /// - Parameter isLast: tells the client to take another connection for its next request. Without it, a client whose
    ///   next request meets the end of this connection cannot know whether it was read.
    public func answer(_ body: String, status: String = "200 OK", isLast: Bool = false) {
        let end = isLast ? "Connection: close\r\n" : ""
        send("HTTP/1.1 \(status)\r\n\(end)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Ends the connection.
    public func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if !wasClosed { Foundation.close(descriptor) }
    }

    /// Closes so that the client gets a reset.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    private func read() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    private static func isComplete(_ text: String) -> Bool {
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let length = text[..<end.lowerBound].split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        return text[end.upperBound...].utf8.count >= length ?? 0
    }
}
