import OrchardPostgres

/// A statement that writes, and the number of rows that it must write. Another number of rows is an error that must not
/// be committed (rule 8: no silent `ON CONFLICT DO NOTHING`).
public struct Write: Sendable {
    package let statement: PostgresStatement
    /// The number of rows that it must write.
    public let rows: Int

    public init(_ sql: String, _ parameters: [any PostgresEncodable], rows: Int = 1) {
        self.init(PostgresStatement(sql, parameters), rows: rows)
    }

    public init(_ statement: PostgresStatement, rows: Int) {
        self.statement = statement
        self.rows = rows
    }

    /// Performs all writes in one round trip inside the caller's transaction.
    ///
    /// - Throws: ``StoreError`` `.miscounted`, so that the transaction is rolled back; `PostgresError`.
    public static func perform(_ writes: [Write], on connection: PostgresConnection) async throws {
        guard !writes.isEmpty else { return }
        try check(writes, try await connection.pipeline(writes.map(\.statement))[...])
    }

    /// Performs all writes after statements that read, in the same round trip.
    ///
    /// - Returns: what was read; the caller checks it before it commits.
    /// - Throws: as ``perform(_:on:)``.
    public static func perform(
        _ writes: [Write], reading: [PostgresStatement], on connection: PostgresConnection
    ) async throws -> [PostgresResult] {
        let results = try await connection.pipeline(reading + writes.map(\.statement))
        try check(writes, results[reading.count...])
        return Array(results[..<reading.count])
    }

    /// Performs all writes and commits the caller's transaction, in one round trip. The server counts the rows. When a
    /// count is wrong, nothing is committed.
    ///
    /// - Parameter schema: the service's schema, which has the function of ``countSQL(schema:role:)``.
    /// - Throws: `PostgresError`; perform the writes again when it is transient, also when the outcome is not known.
    static func commit(_ writes: [Write], in schema: String, on connection: PostgresConnection) async throws {
        try await connection.commit(after: writes.map { $0.counted(in: schema) })
    }

    /// The statement, which fails when it writes another number of rows.
    package func counted(in schema: String) -> PostgresStatement {
        PostgresStatement(
            "WITH written AS (\(statement.sql) RETURNING 1) SELECT \(schema).expect_rows(count(*), "
                + "$\(statement.parameters.count + 1)) FROM written", statement.parameters + [Int64(rows)])
    }

    /// The function that counts, for a migration of the service.
    static func countSQL(schema: String, role: String) -> String {
        """
        -- A row more or less is a mistake that must not be committed.
        CREATE FUNCTION \(schema).expect_rows(written bigint, expected bigint) RETURNS void LANGUAGE plpgsql
            SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            IF written <> expected THEN
                RAISE EXCEPTION '% rows were written instead of %', written, expected USING ERRCODE = 'cardinality_violation';
            END IF;
        END $$;
        REVOKE EXECUTE ON FUNCTION \(schema).expect_rows(bigint, bigint) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION \(schema).expect_rows(bigint, bigint) TO \(role);
        """
    }

    private static func check(_ writes: [Write], _ results: ArraySlice<PostgresResult>) throws(StoreError) {
        for (write, result) in zip(writes, results) where result.affectedRows != write.rows {
            let text = write.statement.sql.split(whereSeparator: \.isWhitespace).prefix(3).joined(separator: " ")
            throw StoreError(
                .miscounted, at: text, "\(result.affectedRows) rows were written instead of \(write.rows)")
        }
    }
}
