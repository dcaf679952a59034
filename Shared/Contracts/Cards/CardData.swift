import OrchardCrypto

/// The decrypted card data of one token. token-ingest seals it; the gateway's connector opens it.
///
/// It is stored in one wiped buffer and read field by field as bytes. It is never a `String`, because copies of a
/// `String` cannot be wiped.
/// Layout: a version byte (1), then fields of tag (1 byte), length (2 bytes, big-endian) and value, by ascending tag.
public struct CardData: ~Copyable, Sendable {
    /// The fields of card data, as in Apple's payload.
    public enum Field: UInt8, Sendable, CaseIterable {
        /// `applicationPrimaryAccountNumber`: the device account number, ASCII digits. Always present.
        case accountNumber = 1
        /// `applicationExpirationDate`: YYMMDD. Always present.
        case expirationDate = 2
        /// `cardholderName`, UTF-8.
        case cardholderName = 3
        /// `onlinePaymentCryptogram`, base64 as Apple wrote it (3DSecure).
        case cryptogram = 4
        /// `eciIndicator` (3DSecure).
        case eciIndicator = 5
        /// `emvData`, base64 as Apple wrote it (EMV).
        case emvData = 6
        /// `encryptedPINData`, hex as Apple wrote it (EMV, in China).
        case encryptedPIN = 7
        /// `authenticationResponses`: the shares of several merchants; read them with ``CardData/withShares(_:)``.
        case authenticationResponses = 8
        /// `merchantTokenIdentifier`, UTF-8: for charges without the customer.
        case merchantTokenIdentifier = 9
        /// `merchantTokenMetadata`: JSON with the members that Apple documents.
        case merchantTokenMetadata = 10
    }

    static let version: UInt8 = 1
    /// The largest card data, in bytes.
    public static let maximumSize = 8_192

    private let storage: SecretBytes
    private let ranges: [Field: Range<Int>]

    /// Reads card data from its sealed layout.
    ///
    /// - Throws: ``CardDataError`` when it is not in that layout.
    public init(encoded: consuming SecretBytes) throws(CardDataError) {
        ranges = try encoded.withBytes { bytes throws(CardDataError) in try Self.parse(bytes) }
        storage = encoded
    }

    /// Lends the encoded card data to the code that seals it.
    public borrowing func withEncoded<Result: ~Copyable, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes(body)
    }

    /// Lends a field's bytes. Bytes that are kept beyond `body` read as zeros later.
    ///
    /// - Returns: nil when the card data has no such field.
    public borrowing func withField<Result, Failure: Error>(
        _ field: Field, _ body: (ArraySlice<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let range = ranges[field] else { return nil }
        return try storage.withBytes { bytes throws(Failure) in try body(bytes[range]) }
    }

    /// Whether the card data has the field.
    public borrowing func has(_ field: Field) -> Bool { ranges[field] != nil }
}

extension CardData {
    /// Collects the fields of card data in a buffer that is wiped when it grows and when it is released.
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

        /// Returns the collected card data.
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
        if let field = ranges[.authenticationResponses], shares(in: bytes[field]) == nil {
            throw CardDataError(.malformed)
        }
        guard ranges[.accountNumber] != nil, ranges[.expirationDate] != nil else { throw CardDataError(.missingField) }
        return ranges
    }
}

/// Why bytes are no card data. It contains none of them.
public struct CardDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        case unknownVersion, malformed, missingField, unknownField, tooLarge
    }

    public let code: Code

    public init(_ code: Code) {
        self.code = code
    }

    public var description: String { "card data: \(code.rawValue)" }
}
