import Glibc

extension Bool: PostgresScalar {
    public static var postgresType: PostgresType { .bool }
    public static var postgresArrayType: PostgresType { .boolArray }
    public func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
}

extension Int16: PostgresScalar {
    public static var postgresType: PostgresType { .int2 }
    public static var postgresArrayType: PostgresType { .int2Array }
    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(self) }
}

extension Int32: PostgresScalar {
    public static var postgresType: PostgresType { .int4 }
    public static var postgresArrayType: PostgresType { .int4Array }
    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(self) }
}

extension Int64: PostgresScalar {
    public static var postgresType: PostgresType { .int8 }
    public static var postgresArrayType: PostgresType { .int8Array }
    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(self) }
}

extension Double: PostgresScalar {
    public static var postgresType: PostgresType { .float8 }
    public static var postgresArrayType: PostgresType { .float8Array }
    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(bitPattern) }
}

/// PostgreSQL's text cannot hold U+0000: refused here, because the server would refuse the whole transaction (22021).
/// What comes from outside is made storable where it becomes a text.
extension String: PostgresScalar {
    public static var postgresType: PostgresType { .text }
    public static var postgresArrayType: PostgresType { .textArray }
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        let start = bytes.count
        bytes.append(contentsOf: utf8)
        let holdsNul = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { memchr($0 + start, 0, buffer.count - start) != nil } ?? false
        }
        guard !holdsNul else {
            throw PostgresError(
                .value, "a text with U+0000 cannot be stored: escape what comes from outside, or store its bytes")
        }
    }
}

/// A `timestamptz`.
public struct PostgresTimestamp: PostgresScalar, Hashable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// PostgreSQL counts from 2000-01-01T00:00:00Z.
    static let epoch: Int64 = 946_684_800_000_000

    public static var postgresType: PostgresType { .timestamptz }
    public static var postgresArrayType: PostgresType { .timestamptzArray }
    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(microseconds - Self.epoch) }

    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}
