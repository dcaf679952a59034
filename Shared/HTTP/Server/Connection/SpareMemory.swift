/// Memory for answers that no connection of a loop uses now.
struct SpareMemory {
    /// How many bytes it keeps; what comes beyond is freed.
    private static let limit = 1 << 20

    /// Empty, with room.
    private var buffers: [[UInt8]] = []
    private(set) var bytes = 0

    /// The memory that was given last, which the processor's caches still have; without room when there is none.
    mutating func take() -> [UInt8] {
        guard let buffer = buffers.popLast() else { return [] }
        bytes -= buffer.capacity
        return buffer
    }

    /// - Parameter buffer: empty.
    mutating func give(_ buffer: consuming [UInt8]) {
        // One answer that is large must not keep all of it.
        guard buffer.capacity <= Self.limit / 4, bytes + buffer.capacity <= Self.limit else { return }
        bytes += buffer.capacity
        buffers.append(buffer)
    }
}
