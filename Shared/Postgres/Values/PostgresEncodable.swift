/// A value that can be a parameter of a statement, in PostgreSQL's binary format.
public protocol PostgresEncodable: Sendable {
    /// The type as the server gets it.
    static var postgresType: PostgresType { get }
    /// Whether the value is NULL; then ``encode(into:)`` is not called.
    var isPostgresNull: Bool { get }
    /// Appends the value's bytes.
    ///
    /// - Throws: ``PostgresError/Code/value`` for what PostgreSQL cannot store, before anything is sent.
    func encode(into bytes: inout [UInt8]) throws(PostgresError)
}

extension PostgresEncodable {
    public var isPostgresNull: Bool { false }
}

/// A value of which PostgreSQL has arrays, for `unnest($1)`.
public protocol PostgresArrayElement: Sendable {
    /// The type of an array of these.
    static var postgresArrayType: PostgresType { get }
    /// Appends a whole array.
    static func encode(_ array: [Self], into bytes: inout [UInt8]) throws(PostgresError)
}

/// A value that may stand alone or in an array.
public protocol PostgresScalar: PostgresEncodable, PostgresArrayElement {}

extension PostgresScalar {
    public static func encode(_ array: [Self], into bytes: inout [UInt8]) throws(PostgresError) {
        ArrayHeader(count: array.count, element: Self.postgresType).append(to: &bytes)
        for element in array { try element.encodeWithLength(into: &bytes) }
    }

    func encodeWithLength(into bytes: inout [UInt8]) throws(PostgresError) {
        let start = bytes.count
        bytes.appendBigEndian(Int32(0))
        try encode(into: &bytes)
        bytes.replaceBigEndian(Int32(bytes.count - start - 4), at: start)
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    public static var postgresType: PostgresType { Wrapped.postgresType }
    public var isPostgresNull: Bool { self == nil }
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try self?.encode(into: &bytes) }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresScalar {
    public static var postgresArrayType: PostgresType { Wrapped.postgresArrayType }
    public static func encode(_ array: [Wrapped?], into bytes: inout [UInt8]) throws(PostgresError) {
        let start = bytes.count
        var hasNulls = false
        ArrayHeader(count: array.count, element: Wrapped.postgresType).append(to: &bytes)
        for element in array {
            if let element {
                try element.encodeWithLength(into: &bytes)
            } else {
                bytes.appendBigEndian(Int32(-1))
                hasNulls = true
            }
        }
        if hasNulls { bytes.replaceBigEndian(Int32(1), at: start + ArrayHeader.nullsPlace) }
    }
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    public static var postgresType: PostgresType { Element.postgresArrayType }
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try Element.encode(self, into: &bytes) }
}

/// An "array" of bytes is a `bytea`.
extension UInt8: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .bytea }
    public static func encode(_ array: [UInt8], into bytes: inout [UInt8]) { bytes.append(contentsOf: array) }
}

extension Array: PostgresArrayElement where Element == UInt8 {
    public static var postgresArrayType: PostgresType { .byteaArray }
}

extension Array: PostgresScalar where Element == UInt8 {}

/// The head of a one-dimensional array in binary format (PostgreSQL: `array_recv`).
private struct ArrayHeader {
    let count: Int
    let element: PostgresType

    /// The place of the flag "has NULL elements"; 0 until one is met.
    static let nullsPlace = 4

    func append(to bytes: inout [UInt8]) {
        bytes.appendBigEndian(Int32(count == 0 ? 0 : 1))
        bytes.appendBigEndian(Int32(0))
        bytes.appendBigEndian(element.rawValue)
        guard count > 0 else { return }
        bytes.appendBigEndian(Int32(count))
        bytes.appendBigEndian(Int32(1))
    }
}
