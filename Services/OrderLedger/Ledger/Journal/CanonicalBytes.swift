import Contracts

/// Builds the bytes to hash. Different lists of values always give different bytes.
///
/// A version byte, then the fields in a fixed order, each preceded by its length (4 bytes, big-endian). Integers are 8
/// bytes big-endian, times microseconds since 1970. No text form, no separator, no locale: two different records never
/// give the same bytes, and a program in another language can rebuild them.
public struct CanonicalBytes: Sendable {
    public private(set) var bytes: [UInt8]

    /// - Parameters:
    ///   - version: which layout follows; a new layout has a new number.
    ///   - capacity: how many bytes to reserve. To grow to the usual size of a row would cost as much as to write it.
    public init(version: UInt8, capacity: Int = 1_536) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(version)
    }

    /// Adds the fields that other canonical bytes of the same version hold.
    mutating func append(fieldsOf other: [UInt8]) { bytes.append(contentsOf: other.dropFirst()) }

    /// Adds fields that are preceded by their lengths already.
    mutating func append(encoded fields: [UInt8]) { bytes.append(contentsOf: fields) }

    /// Adds the length of a field whose bytes are not kept here.
    mutating func append(lengthOf field: [UInt8]) {
        precondition(field.count <= UInt32.max, "a field is shorter than 4 GiB")
        bytes.append(bigEndian: UInt32(field.count))
    }

    /// Appends a field.
    public mutating func append(_ field: [UInt8]) {
        precondition(field.count <= UInt32.max, "a field is shorter than 4 GiB")
        bytes.append(bigEndian: UInt32(field.count))
        bytes.append(contentsOf: field)
    }

    /// Appends a text as a field.
    public mutating func append(_ text: String) {
        precondition(text.utf8.count <= UInt32.max, "a field is shorter than 4 GiB")
        bytes.append(bigEndian: UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a number as a field.
    public mutating func append(_ number: Int64) {
        // The length is the last half of eight bytes: both are appended at once.
        withUnsafeBytes(of: (UInt64(8).bigEndian, number.bigEndian)) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[4...]))
        }
    }

    /// Appends an identifier as a field: 16 bytes, big-endian.
    public mutating func append<Kind>(_ identifier: Identifier<Kind>) {
        let (high, low) = identifier.halves
        withUnsafeBytes(of: (UInt64(16).bigEndian, high.bigEndian, low.bigEndian)) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[4...]))
        }
    }

    /// A field that may be absent: a count of 0 or 1, then the field. Absent and empty differ.
    public mutating func append(_ field: [UInt8]?) {
        append(Int64(field == nil ? 0 : 1))
        if let field { append(field) }
    }

    /// A list: its count, then each element's fields.
    public mutating func append<Element>(
        _ elements: [Element], _ append: (inout CanonicalBytes, Element) -> Void
    ) {
        self.append(Int64(elements.count))
        for element in elements { append(&self, element) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
