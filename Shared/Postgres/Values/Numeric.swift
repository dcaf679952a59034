/// PostgreSQL's `numeric` in binary format, as far as it is a whole number: what `sum(bigint)` gives.
enum Numeric {
    /// The value; nil when it has a fraction, is not a number, or is beyond Int64.
    static func wholeNumber(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard bytes.count >= 8 else { return nil }
        let count = Int(bytes.bigEndian(at: 0, as: Int16.self))
        let weight = Int(bytes.bigEndian(at: 2, as: Int16.self))
        let sign = bytes.bigEndian(at: 4, as: UInt16.self)
        guard bytes.count == 8 + 2 * count, sign == 0 || sign == 0x4000 else { return nil }
        guard count > 0 else { return 0 }
        guard weight >= 0, weight <= 4 else { return nil }
        var value: Int64 = 0
        for position in 0..<max(weight + 1, count) {
            // Digits to the base 10 000; those that are not sent are zero.
            let digit = position < count ? Int64(bytes.bigEndian(at: 8 + 2 * position, as: Int16.self)) : 0
            guard position <= weight else {
                guard digit == 0 else { return nil }
                continue
            }
            // Counting downwards reaches Int64.min too.
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10_000)
            let (difference, tooLow) = product.subtractingReportingOverflow(digit)
            guard !tooLarge, !tooLow else { return nil }
            value = difference
        }
        if sign == 0x4000 { return value }
        return value == .min ? nil : -value
    }
}

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
