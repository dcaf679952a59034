/// A connection of a loop: its socket and its state. Only the loop touches it.
final class SocketConnection {
    let descriptor: Int32
    /// Its name in the server's ``ConnectionTable``.
    let token: UInt64
    var state: State
    /// Nil on a port of plain HTTP.
    let tls: TLSSession?
    /// Cancels or informs the task of the current request when the client has left.
    var departure: AsyncStream<Never>.Continuation?

    init(_ entry: ConnectionTable.Entry, tls: TLSSession?, machine: ConnectionMachine) {
        descriptor = entry.descriptor
        token = entry.token
        self.tls = tls
        state = State(machine: machine)
    }

    /// Whether client and server have not agreed on a TLS session yet.
    var isInHandshake: Bool { tls.map { !$0.isEstablished } ?? false }

    /// Sends what the socket accepts.
    ///
    /// - Returns: the count of bytes accepted, 0 when it is full; nil when the connection is broken.
    func send(_ bytes: Span<UInt8>) -> Int? { tls.map { $0.send(bytes) } ?? Sockets.send(descriptor, bytes) }

    /// Closes the sending side.
    func shutdownWrite() {
        tls?.shutdownWrite()
        Sockets.shutdownWrite(descriptor)
    }

    /// What changes with each event. The loop takes it once an event, instead of asking for one part after the other:
    /// each time costs a check that nobody else changes it.
    struct State {
        var machine: ConnectionMachine
        /// Whether there may be bytes that were not read.
        var mayRead = false
        /// Whether the peer closed its side, or the connection broke.
        var isEnded = false
        /// Whether a next round of the loop looks at it again.
        var isQueued = false

        /// Keeps what the kernel reports.
        mutating func note(_ event: Poller.Event) {
            if event.isReadable { mayRead = true }
            if event.isEnded { isEnded = true }
        }
    }
}

/// The connections of one loop, found by token.
struct SocketConnections {
    /// By descriptor.
    private var entries: [SocketConnection?] = []
    private(set) var count = 0

    var all: [SocketConnection] { entries.compactMap(\.self) }

    subscript(token: UInt64) -> SocketConnection? {
        let index = Int(UInt32(truncatingIfNeeded: token))
        guard index < entries.count, let connection = entries[index], connection.token == token else { return nil }
        return connection
    }

    mutating func add(_ connection: SocketConnection) {
        while entries.count <= Int(connection.descriptor) { entries.append(nil) }
        entries[Int(connection.descriptor)] = connection
        count += 1
    }

    mutating func remove(_ connection: SocketConnection) {
        entries[Int(connection.descriptor)] = nil
        count -= 1
    }
}
