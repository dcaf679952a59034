import OrchardCrypto

extension CardData {
    /// Collects the fields of card data in a buffer that is wiped whenever it grows or goes.
    public struct Builder: ~Copyable {
        private var buffer = SecretBytes()
        private var lastTag: UInt8 = 0

        public init() {
            buffer.append(CardData.version)
        }

        /// Adds a field; fields are added in the order of their tags, each once.
        ///
        /// - Throws: ``CardDataError`` `tooLarge` when it does not fit.
        public mutating func add(_ field: Field, _ value: some Collection<UInt8>) throws(CardDataError) {
            precondition(field.rawValue > lastTag, "fields of card data are added in the order of their tags")
            lastTag = field.rawValue
            guard value.count <= Int(UInt16.max), buffer.count + 3 + value.count <= CardData.maximumSize else {
                throw CardDataError(.tooLarge)
            }
            buffer.append(field.rawValue)
            buffer.append(UInt8(value.count >> 8))
            buffer.append(UInt8(value.count & 0xff))
            buffer.append(contentsOf: value)
        }

        /// The card data.
        ///
        /// - Throws: ``CardDataError`` `missingField` without a card number or expiration date.
        public consuming func finish() throws(CardDataError) -> CardData {
            try CardData(encoded: buffer)
        }
    }

    static func parse(_ bytes: [UInt8]) throws(CardDataError) -> [Field: Range<Int>] {
        guard bytes.count <= maximumSize else { throw CardDataError(.tooLarge) }
        guard bytes.first == version else { throw CardDataError(.unknownVersion) }
        var ranges: [Field: Range<Int>] = [:]
        var (position, lastTag) = (1, UInt8(0))
        while position < bytes.count {
            guard bytes.count - position >= 3 else { throw CardDataError(.malformed) }
            let tag = bytes[position]
            let length = Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
            position += 3
            guard tag > lastTag, bytes.count - position >= length else { throw CardDataError(.malformed) }
            guard let field = Field(rawValue: tag) else { throw CardDataError(.unknownField) }
            ranges[field] = position..<position + length
            (position, lastTag) = (position + length, tag)
        }
        guard ranges[.accountNumber] != nil, ranges[.expirationDate] != nil else { throw CardDataError(.missingField) }
        return ranges
    }
}
