import CZlib

/// Packs bytes with zlib.
///
/// The bridge to the C library: the pointers are those of Swift arrays, and do not leave the calls.
enum Zlib {
    /// A zlib stream (RFC 1950).
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var packed = [UInt8](repeating: 0, count: Int(compressBound(uLong(bytes.count))))
        var size = uLong(packed.count)
        let status = compress2(&packed, &size, bytes, uLong(bytes.count), Z_DEFAULT_COMPRESSION)
        precondition(status == Z_OK, "zlib packs what fits into its own bound")
        return Array(packed.prefix(Int(size)))
    }

    /// The deflate data alone (RFC 1951): a stream without its two bytes of header and its checksum.
    static func deflate(_ bytes: [UInt8]) -> [UInt8] { Array(compress(bytes).dropFirst(2).dropLast(4)) }

    /// The CRC-32 of zip archives.
    static func checksum(_ bytes: [UInt8]) -> UInt32 { UInt32(crc32(0, bytes, uInt(bytes.count))) }
}
