/// The memory that a loop reads sockets into, one after the other. What is kept of it is copied.
struct ReadBuffer: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        bytes = .allocate(byteCount: count, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { bytes.deallocate() }

    /// Reads what a socket has, as much as fits.
    ///
    /// - Parameter body: gets the bytes; they are there only while it runs.
    /// - Returns: the outcome, and whether there may be more.
    func read(
        _ connection: SocketConnection, _ body: (Span<UInt8>) -> Void
    ) -> (result: Sockets.ReadResult, isFull: Bool) {
        let result = connection.tls?.read(into: bytes) ?? Sockets.read(connection.descriptor, into: bytes)
        guard case .bytes(let count) = result else { return (result, connection.tls?.hasMore ?? false) }
        // Unsafe: the kernel has written `count` bytes of this memory, which stays until this value ends.
        body(Span(_unsafeElements: UnsafeBufferPointer(rebasing: bytes.assumingMemoryBound(to: UInt8.self)[..<count])))
        // A record of TLS is smaller than the memory, and more may stand behind it.
        return (result, connection.tls?.hasMore ?? (count == bytes.count))
    }
}
