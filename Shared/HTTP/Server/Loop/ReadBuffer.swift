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
    func read(_ descriptor: Int32, _ body: (Span<UInt8>) -> Void) -> (result: Sockets.ReadResult, isFull: Bool) {
        let result = Sockets.read(descriptor, into: bytes)
        guard case .bytes(let count) = result else { return (result, false) }
        // Unsafe: the kernel has written `count` bytes of this memory, which stays until this value ends.
        body(Span(_unsafeElements: UnsafeBufferPointer(rebasing: bytes.assumingMemoryBound(to: UInt8.self)[..<count])))
        return (result, count == bytes.count)
    }
}
