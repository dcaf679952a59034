/// The memory that a loop receives into, from one socket behind the other. What is kept of it is copied.
struct ReadBuffer: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    /// How many bytes were received and not released.
    private(set) var count = 0

    init(size: Int) {
        memory = .allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { memory.deallocate() }

    /// Receives what a socket has, as much as fits behind what is there.
    ///
    /// - Returns: the outcome; where the bytes are; and whether there may be more.
    mutating func receive(
        from connection: SocketConnection
    ) -> (result: Sockets.ReadResult, bytes: Range<Int>, isFull: Bool) {
        let rest = UnsafeMutableRawBufferPointer(rebasing: memory[count...])
        let result = connection.tls?.read(into: rest) ?? Sockets.read(connection.descriptor, into: rest)
        guard case .bytes(let length) = result else {
            return (result, count..<count, connection.tls?.hasMore ?? false)
        }
        let bytes = count..<count + length
        count += length
        // A record of TLS is smaller than the memory, and more may stand behind it.
        return (result, bytes, connection.tls?.hasMore ?? (length == rest.count))
    }

    /// - Parameter body: gets bytes that were received; they are there only while it runs.
    func withBytes(_ range: Range<Int>, _ body: (Span<UInt8>) -> Void) {
        // Unsafe: a socket has written these bytes, and the memory stays until this value ends.
        body(Span(_unsafeElements: UnsafeBufferPointer(rebasing: memory.assumingMemoryBound(to: UInt8.self)[range])))
    }

    /// Lets the next bytes begin at the front.
    mutating func release() { count = 0 }
}
