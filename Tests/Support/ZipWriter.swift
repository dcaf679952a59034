/// Writes ZIP archives, honest or not: an entry's headers say what the test wants.
public struct ZipWriter: Sendable {
    /// A file, and what the archive says of it.
    public struct Entry: Sendable {
        public var name: String
        public var content: [UInt8]
        public var isDeflated = true
        /// What the directory says; nil for the truth.
        public var size: Int?
        public var checksum: UInt32?
        public var offset: Int?
        public var flags = 0
        public var method: Int?
        /// The name in the entry's own header; nil for the same.
        public var ownName: String?

        public init(_ name: String, _ content: [UInt8]) {
            self.name = name
            self.content = content
        }
    }

    public var entries: [Entry]
    /// How many the archive says there are; nil for the truth.
    public var count: Int?
    public var comment = ""

    public init(_ entries: [Entry]) { self.entries = entries }

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let packed = entry.isDeflated ? Deflate.deflate(entry.content, hasHeader: false) : entry.content
            let start = bytes.count
            let method = entry.method ?? (entry.isDeflated ? 8 : 0)
            let sums =
                Self.long(Int(entry.checksum ?? Deflate.checksum(of: entry.content))) + Self.long(packed.count)
                + Self.long(entry.size ?? entry.content.count)
            let own = entry.ownName ?? entry.name
            bytes += Self.long(0x0403_4B50) + Self.short(20) + Self.short(entry.flags) + Self.short(method)
            bytes += Self.long(0) + sums + Self.short(own.utf8.count) + Self.short(0) + Array(own.utf8) + packed
            directory += Self.long(0x0201_4B50) + Self.short(20) + Self.short(20) + Self.short(entry.flags)
            directory += Self.short(method) + Self.long(0) + sums + Self.short(entry.name.utf8.count)
            directory += [UInt8](repeating: 0, count: 12) + Self.long(entry.offset ?? start) + Array(entry.name.utf8)
        }
        let count = Self.short(count ?? entries.count)
        return bytes + directory + Self.long(0x0605_4B50) + Self.long(0) + count + count + Self.long(directory.count)
            + Self.long(bytes.count) + Self.short(comment.utf8.count) + Array(comment.utf8)
    }

    private static func short(_ number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] }
    private static func long(_ number: Int) -> [UInt8] { short(number & 0xFFFF) + short(number >> 16 & 0xFFFF) }
}
