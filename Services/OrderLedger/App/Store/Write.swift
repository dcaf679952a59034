import Postgres

/// A statement that writes, and the number of rows that it must write: a row more or less is a mistake that must not be
/// committed (no silent `ON CONFLICT DO NOTHING`).
struct Write {
    let statement: PostgresStatement
    let rows: Int

    init(_ sql: String, _ parameters: [any PostgresEncodable], rows: Int) {
        statement = PostgresStatement(sql, parameters)
        self.rows = rows
    }

    /// Performs all in one round trip inside the caller's transaction.
    ///
    /// - Throws: ``StoreError`` `.miscounted`, so that the transaction is undone.
    static func perform(_ writes: [Write], on connection: PostgresConnection) async throws {
        let results = try await connection.pipeline(writes.map(\.statement))
        for (write, result) in zip(writes, results) where result.affectedRows != write.rows {
            let words = write.statement.sql.split(whereSeparator: \.isWhitespace).prefix(3).joined(separator: " ")
            throw StoreError(
                .miscounted, at: words, "\(result.affectedRows) rows were written instead of \(write.rows)")
        }
    }
}
