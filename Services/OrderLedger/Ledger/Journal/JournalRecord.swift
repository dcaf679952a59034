/// A record of the journal topic as it was read, byte for byte, so that it can always be folded again.
public struct JournalRecord: Hashable, Sendable {
    /// A header; names may repeat.
    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: [UInt8]

        public init(name: String, value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// Shared by all copies: a record is in the values of its row, of its fold and of their contents, and each copy of
    /// four fields would count three lists.
    private final class Fields: Sendable {
        let position: JournalPosition
        let key: [UInt8]?
        let headerBytes: [UInt8]
        let value: [UInt8]

        init(position: JournalPosition, key: [UInt8]?, headerBytes: [UInt8], value: [UInt8]) {
            self.position = position
            self.key = key
            self.headerBytes = headerBytes
            self.value = value
        }
    }

    private let fields: Fields

    public var position: JournalPosition { fields.position }
    public var key: [UInt8]? { fields.key }
    /// The headers in the order of the record, in one field, as a row keeps them: canonical bytes, version 1.
    public var headerBytes: [UInt8] { fields.headerBytes }
    public var value: [UInt8] { fields.value }

    public init(position: JournalPosition, key: [UInt8]?, headers: [Header], value: [UInt8]) {
        let count = headers.reduce(16) { $0 + 8 + $1.name.utf8.count + $1.value.count }
        var bytes = CanonicalBytes(version: 1, capacity: count)
        bytes.append(headers) { bytes, header in
            bytes.append(header.name)
            bytes.append(header.value)
        }
        self.init(position: position, key: key, wholeHeaders: bytes.bytes, value: value)
    }

    /// A record from a topic.
    ///
    /// - Parameter fields: name and value of each header in their order, each preceded by its length (4 bytes,
    ///   big-endian).
    public init(position: JournalPosition, key: [UInt8]?, headerCount: Int, fields: [UInt8], value: [UInt8]) {
        var bytes = CanonicalBytes(version: 1, capacity: 16 + fields.count)
        bytes.append(Int64(headerCount))
        bytes.append(encoded: fields)
        self.init(position: position, key: key, wholeHeaders: bytes.bytes, value: value)
    }

    /// A record from a row.
    ///
    /// - Returns: nil when `headerBytes` do not have the form of ``headerBytes``: the row was changed.
    public init?(position: JournalPosition, key: [UInt8]?, headerBytes: [UInt8], value: [UInt8]) {
        guard Self.isWhole(headerBytes.span) else { return nil }
        self.init(position: position, key: key, wholeHeaders: headerBytes, value: value)
    }

    /// - Parameter wholeHeaders: ``headerBytes`` that were checked.
    init(position: JournalPosition, key: [UInt8]?, wholeHeaders: [UInt8], value: [UInt8]) {
        fields = Fields(position: position, key: key, headerBytes: wholeHeaders, value: value)
    }
}

extension JournalRecord {
    /// The bytes of the long fields are compared eight at a time.
    public static func == (left: Self, right: Self) -> Bool {
        left.fields === right.fields
            || (left.position == right.position && left.key == right.key
                && left.value.span.hasSameBytes(as: right.value.span)
                && left.headerBytes.span.hasSameBytes(as: right.headerBytes.span))
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(position)
        hasher.combine(key)
        hasher.combine(headerBytes)
        hasher.combine(value)
    }

    /// The headers in the order of the record.
    public var headers: [Header] {
        var headers: [Header] = []
        forEachHeader { name, value in
            headers.append(
                Header(
                    name: name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) },
                    value: value.withUnsafeBufferPointer { Array($0) }))
        }
        return headers
    }

    /// Lends name and value of each header to `body`, in the order of the record: nothing is copied.
    func forEachHeader<Failure: Error>(
        _ body: (Span<UInt8>, Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = headerBytes.span
        var place = Self.firstHeader
        while let name = Self.field(bytes, &place), let value = Self.field(bytes, &place) {
            try body(bytes.extracting(name), bytes.extracting(value))
        }
    }

    /// The position of the first header: after the version, and the count as a field of 8 bytes.
    private static let firstHeader = 13

    /// Whether bytes have the form of ``headerBytes``.
    private static func isWhole(_ bytes: Span<UInt8>) -> Bool {
        var place = 1
        return bytes.count > 0 && bytes[0] == 1 && passHeaders(bytes, &place) && place == bytes.count
    }

    /// Moves `place` behind the count of the headers and the headers; false when they are not whole.
    static func passHeaders(_ bytes: Span<UInt8>, _ place: inout Int) -> Bool {
        guard var rest = number(bytes, &place) else { return false }
        while rest > 0 {
            guard let name = field(bytes, &place), field(bytes, &place) != nil,
                (try? UTF8Span(validating: bytes.extracting(name))) != nil
            else { return false }
            rest -= 1
        }
        return true
    }

    /// The number in the field at `place`; moves `place` behind it.
    static func number(_ bytes: Span<UInt8>, _ place: inout Int) -> UInt64? {
        guard let field = field(bytes, &place), field.count == 8 else { return nil }
        return field.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// The range of the field at `place`; moves `place` behind it. nil when the field exceeds the bytes.
    static func field(_ bytes: Span<UInt8>, _ place: inout Int) -> Range<Int>? {
        guard place + 4 <= bytes.count else { return nil }
        var count = 0
        for index in place..<place + 4 { count = count << 8 | Int(bytes[index]) }
        let start = place + 4
        guard start + count <= bytes.count else { return nil }
        place = start + count
        return start..<place
    }
}
