import OrchardServiceKit

/// The connections of all loops of a server: ordered by how long they wait, with the memory they hold together. The
/// limits are the server's, not a loop's.
struct ConnectionTable {
    struct Entry {
        /// Generation and descriptor, so that what was meant for an earlier connection never reaches a later one.
        let token: UInt64
        /// The loop that owns it.
        let loop: Int
        var waiting = ConnectionMachine.Waiting.request
        var waitingSince: ContinuousClock.Instant
        var heldBytes = 0

        var descriptor: Int32 { Int32(truncatingIfNeeded: token) }
    }

    /// By descriptor.
    private var entries: [Entry?] = []
    private var generation: UInt32 = 0
    /// Those that have to send a request, and those that have to send the rest of one.
    private var idle = WaitingList()
    private var reading = WaitingList()
    private(set) var counts: [Int]
    /// Bytes of requests and answers of all connections.
    private(set) var heldBytes = 0
    /// Whether the accepting loop must be told when a place is free.
    var isFull = false

    /// A young connection has not had the time to send its request yet.
    static let grace = Duration.milliseconds(100)

    init(loops: Int) { counts = Array(repeating: 0, count: loops) }

    var count: Int { counts.reduce(0, +) }

    /// Gives a new connection to the loop that has fewest.
    mutating func add(_ descriptor: Int32, at instant: ContinuousClock.Instant) -> Entry {
        generation &+= 1
        let loop = counts.indices.min { counts[$0] < counts[$1] } ?? 0
        let entry = Entry(
            token: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)), loop: loop, waitingSince: instant)
        insert(entry)
        idle.append(descriptor)
        return entry
    }

    /// Takes an entry back that was chosen for eviction while its request came in.
    mutating func restore(_ token: UInt64, loop: Int, at instant: ContinuousClock.Instant) {
        insert(Entry(token: token, loop: loop, waiting: .nothing, waitingSince: instant))
    }

    private mutating func insert(_ entry: Entry) {
        while entries.count <= Int(entry.descriptor) { entries.append(nil) }
        entries[Int(entry.descriptor)] = entry
        counts[entry.loop] += 1
    }

    /// - Returns: whether the accepting loop must be told.
    mutating func remove(_ token: UInt64) -> Bool {
        if let entry = entry(token) { remove(entry) }
        return isFull
    }

    private mutating func remove(_ entry: Entry) {
        entries[Int(entry.descriptor)] = nil
        counts[entry.loop] -= 1
        heldBytes -= entry.heldBytes
        idle.remove(entry.descriptor)
        reading.remove(entry.descriptor)
    }

    /// Takes note of what a connection's machine holds and waits for now.
    mutating func update(
        _ token: UInt64, heldBytes held: Int, waiting: ConnectionMachine.Waiting, at instant: ContinuousClock.Instant
    ) {
        guard let old = entry(token) else { return }
        let index = Int(old.descriptor)
        heldBytes += held - old.heldBytes
        entries[index]?.heldBytes = held
        guard waiting != old.waiting else { return }
        entries[index]?.waiting = waiting
        entries[index]?.waitingSince = instant
        idle.remove(old.descriptor)
        reading.remove(old.descriptor)
        switch waiting {
        case .nothing: break
        case .request: idle.append(old.descriptor)
        case .rest: reading.append(old.descriptor)
        }
    }

    /// The connection to end when another one needs its place: idle longest, else sending a request for longest. None
    /// that is being worked on, and none that is too young.
    func evictable(at instant: ContinuousClock.Instant) -> Entry? {
        [idle.first, reading.first].lazy.compactMap { $0.flatMap { entries[Int($0)] } }
            .first { $0.waitingSince + Self.grace <= instant }
    }

    /// Takes out the connection to end, which no longer counts.
    mutating func takeEvictable(at instant: ContinuousClock.Instant) -> Entry? {
        guard let entry = evictable(at: instant) else { return nil }
        remove(entry)
        return entry
    }

    /// The connection whose request has been coming in for longest, while all hold more than `limit`. What it holds no
    /// longer counts: it is refused.
    mutating func takeSlowest(above limit: Int) -> Entry? {
        guard heldBytes > limit, let entry = reading.first.flatMap({ entries[Int($0)] }) else { return nil }
        reading.remove(entry.descriptor)
        heldBytes -= entry.heldBytes
        entries[Int(entry.descriptor)]?.heldBytes = 0
        entries[Int(entry.descriptor)]?.waiting = .nothing
        return entry
    }

    private func entry(_ token: UInt64) -> Entry? {
        let index = Int(UInt32(truncatingIfNeeded: token))
        guard index < entries.count, let entry = entries[index], entry.token == token else { return nil }
        return entry
    }
}
