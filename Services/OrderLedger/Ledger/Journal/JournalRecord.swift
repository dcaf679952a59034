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
        var rest = headerBytes[...]
        guard rest.popFirst() == 1, let countField = Self.field(&rest), countField.count == 8 else { return nil }
        let count = countField.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var headers: [Header] = []
        while headers.count < count {
            guard let name = Self.field(&rest).flatMap({ String(validating: $0, as: UTF8.self) }),
                let value = Self.field(&rest)
            else { return nil }
            headers.append(Header(name: name, value: Array(value)))
        }
        guard rest.isEmpty else { return nil }
        self.init(position: position, key: key, headers: headers, value: value)
    }

    private static func field(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.count >= 4 else { return nil }
        let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 4 + count else { return nil }
        defer { bytes = bytes.dropFirst(4 + count) }
        return bytes.dropFirst(4).prefix(count)
    }
}
