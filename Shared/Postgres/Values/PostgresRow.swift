import OrchardJSON

/// One row of a result. Columns are read by name and type; a NULL or another type is an error, never a default.
///
/// Integers of every width read as Int64, and so does `sum(bigint)`, which PostgreSQL makes a `numeric`.
public struct PostgresRow: Sendable {
    let result: PostgresResult
    let index: Int

    /// A whole number of any width.
    public func int64(_ column: String) throws(PostgresError) -> Int64 { try required(optionalInt64(column), column) }

    /// A whole number of any width that may be NULL.
    public func optionalInt64(_ column: String) throws(PostgresError) -> Int64? {
        try cell(column) { type, bytes in
            switch (type, bytes.count) {
            case (.int8, 8): bytes.bigEndian(at: 0, as: Int64.self)
            case (.int4, 4): Int64(bytes.bigEndian(at: 0, as: Int32.self))
            case (.int2, 2): Int64(bytes.bigEndian(at: 0, as: Int16.self))
            case (.oid, 4): Int64(bytes.bigEndian(at: 0, as: UInt32.self))
            case (.numeric, _): Numeric.wholeNumber(bytes)
            default: nil
            }
        }
    }

    /// A whole number that fits 32 bits.
    public func int32(_ column: String) throws(PostgresError) -> Int32 { try required(optionalInt32(column), column) }

    /// A whole number that fits 32 bits, or NULL.
    public func optionalInt32(_ column: String) throws(PostgresError) -> Int32? {
        guard let value = try optionalInt64(column) else { return nil }
        guard let narrow = Int32(exactly: value) else {
            throw PostgresError(.value, "column \(column) does not fit 32 bits")
        }
        return narrow
    }

    /// A whole number.
    public func int(_ column: String) throws(PostgresError) -> Int { Int(try int64(column)) }

    /// A text; never one that takes minutes to compare (``StreamSafeText``), as somebody may have written it into a table.
    public func string(_ column: String) throws(PostgresError) -> String {
        try required(optionalString(column), column)
    }

    /// A text, or NULL.
    public func optionalString(_ column: String) throws(PostgresError) -> String? {
        let text: String? = try cell(column) { type, bytes in
            switch type {
            case .text, .varchar, .bpchar, .name, .json, .unknown: String(decoding: bytes, as: UTF8.self)
            default: nil
            }
        }
        guard text.map(StreamSafeText.holds) ?? true else {
            throw PostgresError(
                .value, "in column \(column) more than \(StreamSafeText.longestRun) combining marks follow each other")
        }
        return text
    }

    /// A `bytea`.
    public func bytes(_ column: String) throws(PostgresError) -> [UInt8] { try required(optionalBytes(column), column) }

    /// A `bytea`, or NULL.
    public func optionalBytes(_ column: String) throws(PostgresError) -> [UInt8]? {
        try cell(column) { type, bytes in type == .bytea ? [UInt8](bytes) : nil }
    }

    /// A boolean.
    public func bool(_ column: String) throws(PostgresError) -> Bool { try required(optionalBool(column), column) }

    /// A boolean, or NULL.
    public func optionalBool(_ column: String) throws(PostgresError) -> Bool? {
        try cell(column) { type, bytes in type == .bool ? bytes.first == 1 : nil }
    }

    /// A `double precision`.
    public func double(_ column: String) throws(PostgresError) -> Double {
        let value = try cell(column) { type, bytes in
            type == .float8 ? Double(bitPattern: bytes.bigEndian(at: 0, as: UInt64.self)) : nil
        }
        return try required(value, column)
    }

    /// A `timestamptz`.
    public func timestamp(_ column: String) throws(PostgresError) -> PostgresTimestamp {
        try required(optionalTimestamp(column), column)
    }

    /// A `timestamptz`, or NULL.
    public func optionalTimestamp(_ column: String) throws(PostgresError) -> PostgresTimestamp? {
        try cell(column) { type, bytes in
            guard type == .timestamptz else { return nil }
            let (sum, overflow) = bytes.bigEndian(at: 0, as: Int64.self)
                .addingReportingOverflow(PostgresTimestamp.epoch)
            return overflow ? nil : PostgresTimestamp(microseconds: sum)
        }
    }

    /// Lends the bytes of a text or a `bytea` to `read`; nil for NULL.
    public func withBytes<Value>(
        _ column: String, _ read: (Span<UInt8>) throws -> Value
    ) throws -> Value? {
        guard let position = result.position(of: column) else {
            throw PostgresError(.value, "there is no column \(column)")
        }
        return try withBytes(at: position, read)
    }

    /// Lends the bytes of a text or a `bytea` to `read`, by the column's place from 0; nil for NULL.
    public func withBytes<Value>(at position: Int, _ read: (Span<UInt8>) throws -> Value) throws -> Value? {
        let type = result.type(ofColumn: position)
        guard type.isLent else {
            throw PostgresError(.value, "column \(position) of type \(type.rawValue) is neither text nor bytes")
        }
        return try result.withCell(row: index, column: position) { bytes in
            try bytes.withMemoryRebound(to: UInt8.self) { try read($0.span) }
        }
    }

    /// The halves of a `uuid`, big-endian, or NULL. Not generic: thousands of identifiers a page are read here.
    public func optionalUUID(_ column: String) throws(PostgresError) -> (high: UInt64, low: UInt64)? {
        try cell(column) { type, bytes in
            guard type == .uuid else { return nil }
            return (bytes.bigEndian(at: 0, as: UInt64.self), bytes.bigEndian(at: 8, as: UInt64.self))
        }
    }

    private func required<Value>(_ value: Value?, _ column: String) throws(PostgresError) -> Value {
        guard let value else { throw PostgresError(.value, "column \(column) is NULL") }
        return value
    }

    /// Reads a cell; `read` gives nil when the type is not its own.
    private func cell<Value>(
        _ column: String, _ read: (PostgresType, UnsafeRawBufferPointer) -> Value?
    ) throws(PostgresError) -> Value? {
        guard let position = result.position(of: column) else {
            throw PostgresError(.value, "there is no column \(column)")
        }
        let type = result.type(ofColumn: position)
        guard let value = result.withCell(row: index, column: position, { read(type, $0) }) else { return nil }
        guard let value else {
            throw PostgresError(.value, "column \(column) of type \(type.rawValue) cannot be read as \(Value.self)")
        }
        return value
    }
}
