/// A zip archive in the making: deflated entries, as in UnionPay's settlement files.
struct ZipArchive {
    private var body: [UInt8] = []
    private var directory: [UInt8] = []
    private var entries: UInt16 = 0

    mutating func add(_ name: String, _ content: [UInt8]) {
        let packed = Zlib.deflate(content)
        var head: [UInt8] = []
        // Version 2.0, no flags, deflated, no time of day, 1 January 1980.
        for value: UInt16 in [20, 0, 8, 0, 0x21] { head += value.littleEndianBytes }
        for value in [Zlib.checksum(content), UInt32(packed.count), UInt32(content.count)] {
            head += value.littleEndianBytes
        }
        head += UInt16(name.utf8.count).littleEndianBytes + [0, 0]
        directory += Self.signature(1, 2) + [20, 0] + head
        // No comment, first disk, binary, no attributes; then where the entry begins.
        directory += [UInt8](repeating: 0, count: 10) + UInt32(body.count).littleEndianBytes + Array(name.utf8)
        body += Self.signature(3, 4) + head + Array(name.utf8) + packed
        entries += 1
    }

    /// The archive: the entries, their directory, and its end.
    var bytes: [UInt8] {
        var end = Self.signature(5, 6) + [0, 0, 0, 0]
        end += entries.littleEndianBytes + entries.littleEndianBytes
        end += UInt32(directory.count).littleEndianBytes + UInt32(body.count).littleEndianBytes + [0, 0]
        return body + directory + end
    }

    private static func signature(_ first: UInt8, _ second: UInt8) -> [UInt8] { [0x50, 0x4B, first, second] }
}

extension FixedWidthInteger {
    fileprivate var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
