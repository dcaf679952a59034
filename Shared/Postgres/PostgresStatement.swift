/// An SQL statement with its parameters (`$1`, `$2` …).
public struct PostgresStatement: Sendable {
    /// One statement. Its text is the key of the connection's prepared statements, so keep values out of it.
    public let sql: String
    public let parameters: [any PostgresEncodable]

    public init(_ sql: String, _ parameters: [any PostgresEncodable] = []) {
        self.sql = sql
        self.parameters = parameters
    }

    /// Whether the parameters can be sent: a test can check it without a server.
    ///
    /// - Throws: ``PostgresError/Code/value``.
    package func checkParameters() throws(PostgresError) { _ = try ParameterBlock(parameters) }

    package var parameterTypes: [PostgresType] { parameters.map { type(of: $0).postgresType } }
}

/// How a transaction sees and touches the database.
public struct PostgresTransactionMode: Hashable, Sendable {
    let begin: [String]

    /// Each statement sees what was committed before it (the default).
    public static let readCommitted = Self(begin: ["BEGIN ISOLATION LEVEL READ COMMITTED"])
    /// The same for the work of several callers: a statement that waits for a lock fails soon (SQLSTATE 55P03). The
    /// process that holds it may be frozen.
    public static let group = Self(begin: readCommitted.begin + ["SET LOCAL lock_timeout = '100ms'"])
    /// One snapshot for all statements, and no writes: for audits and reports.
    public static let snapshot = Self(begin: ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"])
}
