import CZlib

/// Unpacks what zlib packed, and stops at a limit, whatever the packed bytes promise.
///
/// A bridge file: the only one that hands memory to zlib.
public enum Inflate {
    /// How the deflated bytes are wrapped.
    public enum Format: Sendable {
        /// With zlib's header and checksum (RFC 1950).
        case zlib
        /// Alone, as in a ZIP archive (RFC 1951).
        case raw

        /// zlib's `windowBits`: negative for none of its header.
        fileprivate var windowBits: Int32 { self == .zlib ? 15 : -15 }
    }

    /// Unpacks one whole stream: nothing may be missing, and nothing may follow it.
    ///
    /// - Parameter limit: the most bytes that are unpacked.
    public static func inflate(
        _ packed: ArraySlice<UInt8>, _ format: Format, atMost limit: Int
    ) throws(CompressionError) -> [UInt8] {
        guard packed.count <= Int(UInt32.max) else {
            throw CompressionError(.tooLarge, "more than 4 GiB are packed", at: packed.startIndex)
        }
        var stream = z_stream()
        guard
            inflateInit2_(&stream, format.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else {
            throw CompressionError(.unsupported, "zlib has no memory, or is another version", at: packed.startIndex)
        }
        defer { inflateEnd(&stream) }
        var (unpacked, status): ([UInt8], Int32) = ([], Z_OK)
        // zlib only reads its input; its C interface does not say so.
        packed.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            // One byte above the limit tells more than allowed from exactly as much.
            while status == Z_OK, unpacked.count <= limit {
                let room = min(portion, limit - unpacked.count + 1)
                let more = [UInt8](unsafeUninitializedCapacity: room) { output, count in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(room)
                    status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    count = room - Int(stream.avail_out)
                }
                unpacked += more
            }
        }
        let place = packed.endIndex - Int(stream.avail_in)
        guard unpacked.count <= limit else {
            throw CompressionError(.tooLarge, "more than \(limit) bytes would be unpacked", at: place)
        }
        guard status == Z_STREAM_END else {
            throw status == Z_BUF_ERROR
                ? CompressionError(.malformed, "the packed bytes are cut", at: place)
                : CompressionError(.malformed, "the bytes are not deflated ones", at: place)
        }
        guard stream.avail_in == 0 else {
            throw CompressionError(.malformed, "bytes follow the end of what is packed", at: place)
        }
        return unpacked
    }

    /// What zlib is given room for at once.
    private static let portion = 64 << 10
}

/// The checksum of ZIP archives and of packed texts.
enum CRC32 {
    static func checksum(of bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBufferPointer { checksum(of: $0) } }

    static func checksum(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.baseAddress, bytes.count))
    }
}
