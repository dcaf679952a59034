import OrchardPostgres

/// A statement that writes, and the number of rows that it must write: a row more or less is a mistake that must not be
/// committed (rule 8: no silent `ON CONFLICT DO NOTHING`).
public struct Write: Sendable {
    package let statement: PostgresStatement
    /// The rows that it must write.
    public let rows: Int

    public init(_ sql: String, _ parameters: [any PostgresEncodable], rows: Int = 1) {
        self.init(PostgresStatement(sql, parameters), rows: rows)
    }

    public init(_ statement: PostgresStatement, rows: Int) {
        self.statement = statement
        self.rows = rows
    }

    /// Performs all in one round trip inside the caller's transaction.
    ///
    /// - Throws: ``StoreError`` `.miscounted`, so that the transaction is undone; `PostgresError`.
    public static func perform(_ writes: [Write], on connection: PostgresConnection) async throws {
        guard !writes.isEmpty else { return }
        try check(writes, try await connection.pipeline(writes.map(\.statement))[...])
    }

    /// Performs all behind statements that read, in the same round trip.
    ///
    /// - Returns: what was read; the caller looks at it before it commits.
    /// - Throws: as ``perform(_:on:)``.
    public static func perform(
        _ writes: [Write], reading: [PostgresStatement], on connection: PostgresConnection
    ) async throws -> [PostgresResult] {
        let results = try await connection.pipeline(reading + writes.map(\.statement))
        try check(writes, results[reading.count...])
        return Array(results[..<reading.count])
    }

    private static func check(_ writes: [Write], _ results: ArraySlice<PostgresResult>) throws(StoreError) {
        for (write, result) in zip(writes, results) where result.affectedRows != write.rows {
            let words = write.statement.sql.split(whereSeparator: \.isWhitespace).prefix(3).joined(separator: " ")
            throw StoreError(
                .miscounted, at: words, "\(result.affectedRows) rows were written instead of \(write.rows)")
        }
    }
}
