import OrchardCompression

/// The bytes in which a row keeps a record: a fifth of its own. The chain is made over the record itself, so that it says
/// nothing about how it is packed.
extension JournalRecord {
    /// The longest content that is packed. Facts are far shorter. A few changed bytes of a row must not unpack to so much
    /// that an audit has no memory for a page of them.
    static let longestPacked = 64 << 10

    /// The number of the dictionary, what zstd made of the record with it, and a checksum; nil for a record that is longer
    /// than ``longestPacked``, which is kept as it came.
    public var packed: [UInt8]? {
        let content = content
        guard content.count <= Self.longestPacked else { return nil }
        return RecordDictionary.v1.pack(content, number: RecordDictionary.v1Number)
    }

    /// What is packed: key, headers and value, as canonical bytes.
    var content: [UInt8] {
        var content = CanonicalBytes(
            version: 1, capacity: 48 + (key?.count ?? 0) + headerBytes.count + value.count)
        content.append(key)
        // Their count, and each header's name and value.
        content.append(fieldsOf: headerBytes)
        content.append(value)
        return content.bytes
    }

    /// A record from a row.
    ///
    /// - Returns: nil when the bytes are not ``packed`` ones of a record: the row was changed.
    public init?(position: JournalPosition, packed: Span<UInt8>) {
        guard packed.count > 0, packed[0] == RecordDictionary.v1Number,
            let content = try? RecordDictionary.v1.unpack(packed, atMost: Self.longestPacked)
        else { return nil }
        self.init(position: position, content: content.span)
    }

    private init?(position: JournalPosition, content: Span<UInt8>) {
        func bytes(_ range: Range<Int>) -> [UInt8] { content.extracting(range).withUnsafeBufferPointer { Array($0) } }
        var place = 1
        guard content.count > 0, content[0] == 1, let keys = Self.number(content, &place), keys <= 1 else { return nil }
        var key: [UInt8]?
        if keys == 1 {
            guard let range = Self.field(content, &place) else { return nil }
            key = bytes(range)
        }
        let headers = place
        guard Self.passHeaders(content, &place) else { return nil }
        let end = place
        guard let value = Self.field(content, &place), place == content.count else { return nil }
        var headerBytes: [UInt8] = []
        headerBytes.reserveCapacity(1 + end - headers)
        headerBytes.append(1)
        content.extracting(headers..<end).withUnsafeBufferPointer { headerBytes.append(contentsOf: $0) }
        self.init(position: position, key: key, wholeHeaders: headerBytes, value: bytes(value))
    }
}
