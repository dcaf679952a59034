/// A ZIP archive of few files without folders, from somebody who is not trusted (PKWARE APPNOTE 6.3, without ZIP64).
///
/// The directory at its end is what counts. Every entry is weighed before one is unpacked, and none may lie over another.
public struct ZipArchive: Sendable {
    /// A file in an archive.
    public struct Entry: Hashable, Sendable {
        public let name: String
        /// Unpacked bytes.
        public let size: Int
        let method: UInt16
        let checksum: UInt32
        /// Where its packed bytes lie.
        let content: Range<Int>
    }

    /// How much an archive may hold.
    public struct Limits: Hashable, Sendable {
        public var entries: Int
        /// Unpacked bytes of all entries together.
        public var bytes: Int

        public init(entries: Int, bytes: Int) {
            self.entries = entries
            self.bytes = bytes
        }
    }

    public let entries: [Entry]
    private let bytes: [UInt8]

    /// Reads the directory; nothing is unpacked yet.
    public init(_ bytes: [UInt8], limits: Limits) throws(CompressionError) {
        self.bytes = bytes
        var directory = try ZipDirectory(bytes, limits: limits)
        entries = try directory.readEntries()
    }

    /// The unpacked bytes of an entry.
    public func content(of entry: Entry) throws(CompressionError) -> [UInt8] {
        let packed = bytes[entry.content]
        let content = entry.method == 0 ? Array(packed) : try Inflate.inflate(packed, .raw, atMost: entry.size)
        guard content.count == entry.size else {
            throw CompressionError(.malformed, "\(entry.name) has another size than it says", at: packed.startIndex)
        }
        guard CRC32.checksum(of: content) == entry.checksum else {
            throw CompressionError(.checksum, "\(entry.name) has another checksum than it says", at: packed.startIndex)
        }
        return content
    }
}
