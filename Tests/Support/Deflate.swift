import CZlib

/// Packs bytes as zlib does, for files that tests make.
public enum Deflate {
    /// - Parameter hasHeader: with zlib's header and checksum (RFC 1950), or the deflated bytes alone (RFC 1951).
    public static func deflate(_ bytes: [UInt8], hasHeader: Bool) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, hasHeader ? 15 : -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        return bytes.withUnsafeBufferPointer { input in
            let room = Int(deflateBound(&stream, UInt(input.count)))
            return [UInt8](unsafeUninitializedCapacity: room) { output, count in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(room)
                CZlib.deflate(&stream, Z_FINISH)
                count = room - Int(stream.avail_out)
            }
        }
    }

    public static func checksum(of bytes: [UInt8]) -> UInt32 { UInt32(crc32_z(0, bytes, bytes.count)) }
}
