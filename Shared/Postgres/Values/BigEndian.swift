extension [UInt8] {
    /// Appends an integer in network order, as all of PostgreSQL's binary formats have it.
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    mutating func replaceBigEndian(_ value: some FixedWidthInteger, at index: Int) {
        let big = value.bigEndian
        withUnsafeMutableBytes { $0.storeBytes(of: big, toByteOffset: index, as: type(of: big)) }
    }
}

extension UnsafeRawBufferPointer {
    /// Reads an integer in network order; the bounds are checked.
    func bigEndian<Integer: FixedWidthInteger>(at offset: Int, as _: Integer.Type) -> Integer {
        Integer(
            bigEndian: UnsafeRawBufferPointer(rebasing: self[offset..<offset + MemoryLayout<Integer>.size])
                .loadUnaligned(as: Integer.self))
    }
}
