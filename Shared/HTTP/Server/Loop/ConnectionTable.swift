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
        var waitingSince: MonotonicTime
        var heldBytes = 0
        /// Since when its loop is asked to close it, for another one; nil when it is not.
        var leavingSince: MonotonicTime?

        var descriptor: Int32 { Int32(truncatingIfNeeded: token) }
    }

    /// The result when the accepting loop needs a place for a connection.
    enum Place {
        case free
        /// It is free when the loop of this connection has closed it and reports it.
        case held(Entry)
        /// There is none, and none can be made free. The accepting loop is informed when that changes.
        case none
    }

    /// By descriptor; the token of one that is not there is 0. Plain values, since every request changes one.
    private var entries: [Entry] = []
    private static let none = Entry(token: 0, loop: 0, waitingSince: .now)
    private var generation: UInt32 = 0
    /// Those that have to send a request, and those that have to send the rest of one.
    private var idle = WaitingList()
    private var reading = WaitingList()
    private(set) var counts: [Int]
    /// Bytes of requests and answers of all connections.
    private(set) var heldBytes = 0
    /// Whether the accepting loop waits for a place, and must be informed of one.
    private(set) var isPlaceAwaited = false
    /// The connection that was last chosen to be closed.
    private var leaving: UInt64?

    /// A young connection has not had the time to send its request yet. A loop gets the same time to close one; after
    /// it, another connection is chosen.
    static let grace = Duration.milliseconds(100)

    init(loops: Int) { counts = Array(repeating: 0, count: loops) }

    var count: Int { counts.reduce(0, +) }

    /// Gives a new connection to the loop that has fewest.
    mutating func add(_ descriptor: Int32, at instant: MonotonicTime) -> Entry {
        generation &+= 1
        let loop = counts.indices.min { counts[$0] < counts[$1] } ?? 0
        let entry = Entry(
            token: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)), loop: loop, waitingSince: instant)
        insert(entry)
        idle.append(descriptor)
        return entry
    }

    private mutating func insert(_ entry: Entry) {
        while entries.count <= Int(entry.descriptor) { entries.append(Self.none) }
        // The kernel gives a descriptor again as soon as it is closed: the loop of the one before only has to say so.
        let old = entries[Int(entry.descriptor)]
        if old.token != 0 { remove(old) }
        entries[Int(entry.descriptor)] = entry
        counts[entry.loop] += 1
    }

    /// A connection counts until its loop calls this, when its descriptor is closed.
    ///
    /// - Returns: whether the accepting loop must be informed.
    mutating func remove(_ token: UInt64) -> Bool {
        if let entry = entry(token) { remove(entry) }
        return isPlaceAwaited
    }

    private mutating func remove(_ entry: Entry) {
        entries[Int(entry.descriptor)] = Self.none
        counts[entry.loop] -= 1
        heldBytes -= entry.heldBytes
        idle.remove(entry.descriptor)
        reading.remove(entry.descriptor)
        if leaving == entry.token { leaving = nil }
    }

    /// Records what a connection's machine holds and waits for now.
    ///
    /// - Parameter instant: since when it waits for that.
    mutating func update(
        _ token: UInt64, heldBytes held: Int, waiting: ConnectionMachine.Waiting, since instant: MonotonicTime
    ) {
        let index = Int(UInt32(truncatingIfNeeded: token))
        guard index < entries.count, entries[index].token == token else { return }
        heldBytes += held - entries[index].heldBytes
        entries[index].heldBytes = held
        guard waiting != entries[index].waiting || instant != entries[index].waitingSince else { return }
        entries[index].waiting = waiting
        entries[index].waitingSince = instant
        // Its client has done something, and it stays.
        entries[index].leavingSince = nil
        let descriptor = entries[index].descriptor
        idle.remove(descriptor)
        reading.remove(descriptor)
        switch waiting {
        case .nothing: break
        case .request: idle.append(descriptor)
        case .rest: reading.append(descriptor)
        }
    }

    /// The connection to end when another one needs its place: idle longest, else sending a request for longest. None
    /// that is being worked on, and none that is too young.
    private func evictable(at instant: MonotonicTime) -> Entry? {
        [idle.first, reading.first].lazy.compactMap { $0.map { entries[Int($0)] } }
            .first { $0.waitingSince + Self.grace <= instant }
    }

    /// Finds a place, and chooses a connection to close when all are used.
    ///
    /// - Parameter limit: of connections; 0 where none fits for want of something else.
    mutating func place(below limit: Int, at instant: MonotonicTime) -> Place {
        isPlaceAwaited = count >= limit
        guard isPlaceAwaited else { return .free }
        // One leaves for one that comes.
        if let leaving, let since = entry(leaving)?.leavingSince, instant < since + Self.grace { return .none }
        guard let entry = evictable(at: instant) else { return .none }
        idle.remove(entry.descriptor)
        reading.remove(entry.descriptor)
        entries[Int(entry.descriptor)].leavingSince = instant
        leaving = entry.token
        return .held(entry)
    }

    /// Whether there may be a place; else the accepting loop is informed when there is.
    mutating func mayHavePlace(below limit: Int, at instant: MonotonicTime) -> Bool {
        isPlaceAwaited = count >= limit && evictable(at: instant) == nil
        return !isPlaceAwaited
    }

    /// Whether a connection that was chosen must still be closed: its client has sent nothing since.
    func isLeaving(_ token: UInt64) -> Bool { entry(token)?.leavingSince != nil }

    /// The connection whose request has been coming in for longest, while all hold more than `limit`. What it holds no
    /// longer counts: it is refused.
    mutating func removeSlowest(above limit: Int) -> Entry? {
        guard heldBytes > limit, let entry = reading.first.map({ entries[Int($0)] }) else { return nil }
        reading.remove(entry.descriptor)
        heldBytes -= entry.heldBytes
        entries[Int(entry.descriptor)].heldBytes = 0
        entries[Int(entry.descriptor)].waiting = .nothing
        return entry
    }

    private func entry(_ token: UInt64) -> Entry? {
        let index = Int(UInt32(truncatingIfNeeded: token))
        guard index < entries.count, entries[index].token == token else { return nil }
        return entries[index]
    }
}
