/// The headers of a record that was read, in one piece of memory: a record has about ten, and to give each its own
/// would cost more than to read the record.
public struct KafkaHeaders: Hashable, Sendable {
    /// How many headers there are.
    public private(set) var count = 0
    /// Name and value of each header in their order, each preceded by its length (4 bytes, big-endian).
    public private(set) var fields: [UInt8] = []

    /// - Parameter capacity: how many bytes of fields to reserve.
    public init(capacity: Int = 0) {
        fields.reserveCapacity(capacity)
    }

    public init(_ headers: [KafkaHeader]) {
        for header in headers {
            Array(header.name.utf8).withUnsafeBytes { name in
                header.value.withUnsafeBytes { append(name, $0) }
            }
        }
    }

    /// Adds a header.
    mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        count += 1
        append(name)
        append(value)
    }

    private mutating func append(_ field: UnsafeRawBufferPointer) {
        precondition(field.count <= UInt32.max, "a header is shorter than 4 GiB")
        withUnsafeBytes(of: UInt32(field.count).bigEndian) { fields.append(contentsOf: $0) }
        fields.append(contentsOf: field)
    }

    /// Lends name and value of each header to `body`, in their order: nothing is copied.
    public func forEach<Failure: Error>(
        _ body: (Span<UInt8>, Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = fields.span
        var place = 0
        for _ in 0..<count {
            let name = Self.field(bytes, &place)
            let value = Self.field(bytes, &place)
            try body(bytes.extracting(name), bytes.extracting(value))
        }
    }

    private static func field(_ bytes: Span<UInt8>, _ place: inout Int) -> Range<Int> {
        var length = 0
        for index in place..<place + 4 { length = length << 8 | Int(bytes[index]) }
        let start = place + 4
        place = start + length
        return start..<place
    }

    /// The value of the first header of a name.
    public subscript(name: String) -> [UInt8]? {
        var found: [UInt8]?
        let wanted = name.utf8
        forEach { name, value in
            guard found == nil, name.count == wanted.count else { return }
            var place = 0
            for byte in wanted {
                guard name[place] == byte else { return }
                place += 1
            }
            found = value.withUnsafeBufferPointer { [UInt8]($0) }
        }
        return found
    }

    /// Each header with memory of its own.
    public var list: [KafkaHeader] {
        var list: [KafkaHeader] = []
        list.reserveCapacity(count)
        forEach { name, value in
            list.append(
                KafkaHeader(
                    name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) },
                    value.withUnsafeBufferPointer { [UInt8]($0) }))
        }
        return list
    }
}
