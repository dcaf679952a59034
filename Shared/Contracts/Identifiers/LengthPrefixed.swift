/// Joins fields so that different lists never give the same bytes: each is preceded by its length (4 bytes,
/// big-endian). Names are derived for every fact that is read, so no field is copied before it is joined.
package struct LengthPrefixed {
    package private(set) var bytes: [UInt8] = []

    package init() { bytes.reserveCapacity(112) }

    package mutating func append(_ field: [UInt8]) {
        append(length: field.count)
        bytes.append(contentsOf: field)
    }

    package mutating func append(_ text: String) {
        append(length: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func append<Kind>(_ identifier: Identifier<Kind>) {
        append(length: 16)
        identifier.append(to: &bytes)
    }

    package mutating func append(_ number: Int64) {
        append(length: 8)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(length: Int) {
        withUnsafeBytes(of: UInt32(length).bigEndian) { bytes.append(contentsOf: $0) }
    }
}
