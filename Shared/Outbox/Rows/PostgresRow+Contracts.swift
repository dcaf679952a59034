import Contracts
import OrchardPostgres

/// The contract's values in columns of the services' own tables.
extension PostgresRow {
    /// An identifier.
    @inlinable
    public func identifier<Kind>(_ column: String) throws -> Identifier<Kind> {
        guard let identifier: Identifier<Kind> = try optionalIdentifier(column) else { throw Self.isNull(column) }
        return identifier
    }

    /// An identifier, or NULL.
    @inlinable
    public func optionalIdentifier<Kind>(_ column: String) throws -> Identifier<Kind>? {
        try optionalUUID(column).map { Identifier<Kind>(high: $0.high, low: $0.low) }
    }

    /// A currency.
    public func currency(_ column: String) throws -> Currency {
        let text = try string(column)
        // Byte by byte: for `String` the Kelvin sign is a K, for the server it makes another currency.
        guard let currency = Currency(text), currency.code.utf8.elementsEqual(text.utf8) else {
            let isCode = text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            throw isCode ? Self.unknownWord(column) : Self.malformed(column)
        }
        return currency
    }

    /// A raw value of an enumeration.
    @inlinable
    public func word<Word: RawRepresentable<String>>(_ column: String, as type: Word.Type = Word.self) throws -> Word {
        guard let word: Word = try optionalWord(column) else { throw Self.isNull(column) }
        return word
    }

    /// A raw value of an enumeration, or NULL.
    @inlinable
    public func optionalWord<Word: RawRepresentable<String>>(
        _ column: String, as type: Word.Type = Word.self
    ) throws -> Word? {
        guard let text = try optionalString(column) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw Self.isWord(text) ? Self.unknownWord(column) : Self.malformed(column)
        }
        return word
    }

    /// A number that the service counts up: no damaged one that would end it there.
    public func count(_ column: String, below end: Int64 = 1 << 62) throws -> Int64 {
        let number = try int64(column)
        guard (0..<end).contains(number) else { throw Self.malformed(column) }
        return number
    }

    /// A text that is compared, or NULL; instead of one that the service cannot have written, one that it never writes, so
    /// that the comparison tells of it.
    public func comparableText(_ column: String) -> String? {
        do { return try optionalString(column) } catch { return "\u{FFFD}" }
    }

    /// A SHA-256 hash.
    public func digest(_ column: String) throws -> [UInt8] {
        let bytes = try bytes(column)
        guard bytes.count == 32 else { throw Self.malformed(column) }
        return bytes
    }

    /// A point in time.
    public func time(_ column: String) throws -> Timestamp {
        try Self.time(try timestamp(column), column)
    }

    /// A point in time, or NULL.
    public func optionalTime(_ column: String) throws -> Timestamp? {
        try optionalTimestamp(column).map { try Self.time($0, column) }
    }

    /// What ``Timestamp/init(rfc3339:)`` can read, so that each time that was taken can be read again: the years 0 to 9999,
    /// and a day for the offset. PostgreSQL has others, with which no calendar here can calculate.
    private static let times: Range<Int64> = -62_167_305_600_000_000..<253_402_387_200_000_000

    private static func time(_ time: PostgresTimestamp, _ column: String) throws -> Timestamp {
        guard times.contains(time.microseconds) else { throw malformed(column) }
        return Timestamp(microseconds: time.microseconds)
    }

    @usableFromInline
    static func malformed(_ column: String) -> StoreError {
        StoreError(.malformed, at: column, "the column holds what the service never writes")
    }

    /// A text that a version of the service may write as a word.
    @usableFromInline
    static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    @usableFromInline
    static func unknownWord(_ column: String) -> StoreError {
        StoreError(
            .unknownWord, at: column,
            "the column holds a word that this version does not know: a newer one has written it, or it is damaged")
    }

    @usableFromInline
    static func isNull(_ column: String) -> PostgresError {
        PostgresError(.value, "column \(column) is NULL")
    }
}

extension Timestamp {
    /// The same point in time as a parameter of a statement.
    public var postgres: PostgresTimestamp { PostgresTimestamp(microseconds: microseconds) }
}

/// Identifiers are stored as `uuid`: 16 bytes, which PostgreSQL orders in the same way as the identifiers.
extension Identifier: PostgresScalar {
    public static var postgresType: PostgresType { .uuid }
    public static var postgresArrayType: PostgresType { .uuidArray }
    public func encode(into bytes: inout [UInt8]) { append(to: &bytes) }
}
