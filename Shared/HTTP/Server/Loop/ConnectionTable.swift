/// The loop's connections: found by token, ordered by how long they wait, with the memory they hold together.
struct ConnectionTable {
    /// By descriptor.
    private var entries: [SocketConnection?] = []
    private var generation: UInt32 = 0
    /// Those that have to send a request, and those that have to send the rest of one.
    private var idle = WaitingList()
    private var reading = WaitingList()
    private(set) var count = 0
    /// Bytes of requests and answers of all connections.
    private(set) var heldBytes = 0

    /// A young connection has not had the time to send its request yet.
    static let grace = Duration.milliseconds(100)

    var all: [SocketConnection] { entries.compactMap(\.self) }

    subscript(token: UInt64) -> SocketConnection? {
        let index = Int(UInt32(truncatingIfNeeded: token))
        guard index < entries.count, let connection = entries[index], connection.token == token else { return nil }
        return connection
    }

    mutating func add(_ descriptor: Int32, _ machine: ConnectionMachine, at instant: ContinuousClock.Instant)
        -> SocketConnection
    {
        generation &+= 1
        let connection = SocketConnection(
            descriptor: descriptor, generation: generation, machine: machine, at: instant)
        while entries.count <= Int(descriptor) { entries.append(nil) }
        entries[Int(descriptor)] = connection
        count += 1
        idle.append(descriptor)
        return connection
    }

    mutating func remove(_ connection: SocketConnection) {
        entries[Int(connection.descriptor)] = nil
        count -= 1
        idle.remove(connection.descriptor)
        reading.remove(connection.descriptor)
        heldBytes -= connection.heldBytes
    }

    /// Takes note of what the connection's machine holds and waits for now.
    mutating func update(_ connection: SocketConnection, now: () -> ContinuousClock.Instant) {
        let heldBytes = connection.machine.heldBytes
        self.heldBytes += heldBytes - connection.heldBytes
        connection.heldBytes = heldBytes
        let waiting = connection.machine.waiting
        guard waiting != connection.waiting else { return }
        connection.waiting = waiting
        connection.waitingSince = now()
        idle.remove(connection.descriptor)
        reading.remove(connection.descriptor)
        switch waiting {
        case .nothing: break
        case .request: idle.append(connection.descriptor)
        case .rest: reading.append(connection.descriptor)
        }
    }

    /// The connection to end when another one needs its place: idle longest, else sending a request for longest. None
    /// that is being worked on, and none that is too young.
    func evictable(at instant: ContinuousClock.Instant) -> SocketConnection? {
        [idle.first, reading.first].lazy.compactMap { $0.flatMap { entries[Int($0)] } }
            .first { $0.waitingSince + Self.grace <= instant }
    }

    /// The connection whose request has been coming in for longest.
    var slowest: SocketConnection? { reading.first.flatMap { entries[Int($0)] } }
}
