import COrchardOpenSSL

/// DER in and out of OpenSSL's structures.
enum DER {
    /// The bytes that an `i2d_` function writes; empty when it refuses.
    static func encode(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let count = Int(write(nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var end = buffer.baseAddress
            written = max(0, Int(write(&end)))
        }
    }

    /// The structure that a `d2i_` function makes of exactly these bytes; nil when it refuses or bytes are left.
    static func decode<Structure>(
        _ bytes: [UInt8],
        _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> Structure?,
        free: (Structure) -> Void
    ) -> Structure? {
        bytes.withUnsafeBufferPointer { buffer in
            var end = buffer.baseAddress
            guard let structure = read(&end, buffer.count) else { return nil }
            if end == buffer.baseAddress.map({ $0 + buffer.count }) { return structure }
            free(structure)
            return nil
        }
    }
}
