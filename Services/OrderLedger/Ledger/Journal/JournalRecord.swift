/// A record of the journal topic as it was read, byte for byte: what can always be folded again.
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

    public let position: JournalPosition
    public let key: [UInt8]?
    /// In the order of the record.
    public let headers: [Header]
    public let value: [UInt8]

    public init(position: JournalPosition, key: [UInt8]?, headers: [Header], value: [UInt8]) {
        self.position = position
        self.key = key
        self.headers = headers
        self.value = value
    }
}

extension JournalRecord {
    /// The headers in one field, as a row keeps them: canonical bytes, version 1.
    public var headerBytes: [UInt8] {
        var bytes = CanonicalBytes(version: 1)
        bytes.append(headers) { bytes, header in
            bytes.append(header.name)
            bytes.append(header.value)
        }
        return bytes.bytes
    }

    /// A record from a row.
    ///
    /// - Returns: nil when `headerBytes` are not what ``headerBytes`` writes: somebody changed the row.
    public init?(position: JournalPosition, key: [UInt8]?, headerBytes: [UInt8], value: [UInt8]) {
        let bytes = headerBytes.span
        var place = 1
        guard bytes.count > 0, bytes[0] == 1, let countField = Self.field(bytes, &place), countField.count == 8 else {
            return nil
        }
        let count = countField.reduce(UInt64(0)) { $0 << 8 | UInt64(headerBytes[$1]) }
        var headers: [Header] = []
        headers.reserveCapacity(Int(min(count, 16)))
        while headers.count < count {
            guard let name = Self.field(bytes, &place), let value = Self.field(bytes, &place),
                let text = try? UTF8Span(validating: bytes.extracting(name))
            else { return nil }
            headers.append(Header(name: String(copying: text), value: Array(headerBytes[value])))
        }
        guard place == bytes.count else { return nil }
        self.init(position: position, key: key, headers: headers, value: value)
    }

    /// Where the field at `place` stands, which moves behind it; nil when it does not end in the bytes.
    private static func field(_ bytes: Span<UInt8>, _ place: inout Int) -> Range<Int>? {
        guard place + 4 <= bytes.count else { return nil }
        var count = 0
        for index in place..<place + 4 { count = count << 8 | Int(bytes[index]) }
        let start = place + 4
        guard start + count <= bytes.count else { return nil }
        place = start + count
        return start..<place
    }
}
