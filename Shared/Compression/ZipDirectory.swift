/// Reads the directory of a ZIP archive, and checks it against the entries' own headers.
struct ZipDirectory {
    private let bytes: [UInt8]
    private let limits: ZipArchive.Limits
    /// Where the directory's record of its end lies.
    private let end: Int
    private var place: Int
    private let count: Int

    /// Names longer than this are nobody's settlement files.
    static let maximumName = 100

    init(_ bytes: [UInt8], limits: ZipArchive.Limits) throws(CompressionError) {
        self.bytes = bytes
        self.limits = limits
        guard let end = Self.end(of: bytes) else {
            throw CompressionError(.malformed, "this is no ZIP archive, or it is cut", at: bytes.count)
        }
        self.end = end
        let record = Fields(bytes, at: end)
        let (first, size) = (record.long(16), record.long(12))
        guard record.short(4) == 0, record.short(6) == 0, record.short(8) == record.short(10) else {
            throw CompressionError(.unsupported, "the archive lies on several disks", at: end)
        }
        // A ZIP64 archive says 65,535 entries or 4 GiB here: far above every limit.
        count = record.short(10)
        guard (1...limits.entries).contains(count) else {
            throw CompressionError(
                count == 0 ? .malformed : .tooLarge, "the archive has \(count) files; 1 to \(limits.entries) are read",
                at: end)
        }
        guard first + size == end else {
            throw CompressionError(.malformed, "the directory does not end where the archive does", at: end)
        }
        place = first
    }

    mutating func readEntries() throws(CompressionError) -> [ZipArchive.Entry] {
        let first = place
        var entries: [(entry: ZipArchive.Entry, extent: Range<Int>)] = []
        var total = 0
        for _ in 0..<count {
            let (entry, extent) = try readEntry(before: first)
            total += entry.size
            guard total <= limits.bytes else {
                throw CompressionError(
                    .tooLarge, "the archive's files have more than \(limits.bytes) bytes", at: place)
            }
            guard !entries.contains(where: { $0.entry.name == entry.name }) else {
                throw CompressionError(.malformed, "the archive has \(entry.name) twice", at: place)
            }
            guard !entries.contains(where: { $0.extent.overlaps(extent) }) else {
                throw CompressionError(.malformed, "\(entry.name) lies over another file", at: extent.lowerBound)
            }
            entries.append((entry, extent))
        }
        guard place == end else {
            throw CompressionError(.malformed, "the directory has bytes that belong to no file", at: place)
        }
        return entries.map(\.entry)
    }

    private mutating func readEntry(
        before directory: Int
    ) throws(CompressionError) -> (ZipArchive.Entry, extent: Range<Int>) {
        let start = place
        guard start + 46 <= end, Fields(bytes, at: start).long(0) == 0x0201_4B50 else {
            throw CompressionError(.malformed, "the directory is cut", at: start)
        }
        let fields = Fields(bytes, at: start)
        let nameLength = fields.short(28)
        let next = start + 46 + nameLength + fields.short(30) + fields.short(32)
        guard next <= end else { throw CompressionError(.malformed, "the directory is cut", at: start) }
        place = next
        let name = try Self.name(bytes[(start + 46)..<(start + 46 + nameLength)])
        guard fields.short(8) & 0x2041 == 0, fields.short(34) == 0 else {
            throw CompressionError(.unsupported, "\(name) is encrypted, or lies on another disk", at: start)
        }
        let (method, packed, size) = (fields.short(10), fields.long(20), fields.long(24))
        guard method == 8 || method == 0 && packed == size else {
            throw CompressionError(.unsupported, "\(name) is neither stored nor deflated", at: start)
        }
        let header = fields.long(42)
        guard header + 30 <= directory, Fields(bytes, at: header).long(0) == 0x0403_4B50 else {
            throw CompressionError(.malformed, "\(name) has no header of its own", at: start)
        }
        let own = Fields(bytes, at: header)
        let content = header + 30 + own.short(26) + own.short(28)
        guard content + packed <= directory else {
            throw CompressionError(.malformed, "\(name) is cut", at: header)
        }
        guard own.short(8) == method, bytes[(header + 30)..<(header + 30 + own.short(26))].elementsEqual(name.utf8)
        else {
            throw CompressionError(.malformed, "\(name) contradicts its own header", at: header)
        }
        return (
            ZipArchive.Entry(
                name: name, size: size, method: UInt16(method), checksum: UInt32(fields.long(16)),
                content: content..<(content + packed)),
            header..<(content + packed)
        )
    }

    /// A name that leads out of a folder, or looks like another one, is refused.
    private static func name(_ bytes: ArraySlice<UInt8>) throws(CompressionError) -> String {
        guard (1...maximumName).contains(bytes.count), bytes.first != UInt8(ascii: "."),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !#"/\:"#.utf8.contains($0) })
        else {
            throw CompressionError(
                .malformed, "a file's name is a path, is longer than \(maximumName) bytes or no plain text",
                at: bytes.startIndex)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The record of the directory's end, the last one that fits with its comment.
    private static func end(of bytes: [UInt8]) -> Int? {
        var place = bytes.count - 22
        while place >= max(0, bytes.count - 22 - 0xFFFF) {
            let fields = Fields(bytes, at: place)
            if fields.long(0) == 0x0605_4B50, place + 22 + fields.short(20) == bytes.count { return place }
            place -= 1
        }
        return nil
    }

    /// Little-endian numbers from a place on. The caller checks that the record is there.
    private struct Fields {
        private let bytes: [UInt8]
        private let start: Int

        init(_ bytes: [UInt8], at start: Int) { (self.bytes, self.start) = (bytes, start) }

        func short(_ offset: Int) -> Int { Int(bytes[start + offset]) | Int(bytes[start + offset + 1]) << 8 }
        func long(_ offset: Int) -> Int { short(offset) | short(offset + 2) << 16 }
    }
}
