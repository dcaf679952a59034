import Postgres

/// A statement that writes exactly one row: none or two are a mistake that must not be committed.
struct Write {
    let statement: PostgresStatement

    init(_ sql: String, _ parameters: [any PostgresEncodable]) {
        statement = PostgresStatement(sql, parameters)
    }

    /// Performs all in one round trip inside the caller's transaction.
    ///
    /// - Throws: ``StoreError`` `.miscounted`, so that the transaction is undone.
    static func perform(_ writes: [Write], on connection: PostgresConnection) async throws {
        guard !writes.isEmpty else { return }
        let results = try await connection.pipeline(writes.map(\.statement))
        for (write, result) in zip(writes, results) where result.affectedRows != 1 {
            let words = write.statement.sql.split(whereSeparator: \.isWhitespace).prefix(3).joined(separator: " ")
            throw StoreError(.miscounted, at: words, "\(result.affectedRows) rows were written instead of one")
        }
    }
}
