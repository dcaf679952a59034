/// How a transaction sees and touches the database.
public struct PostgresTransactionMode: Hashable, Sendable {
    let begin: String

    /// Each statement sees what was committed before it (the default).
    public static let readCommitted = Self(begin: "BEGIN ISOLATION LEVEL READ COMMITTED")
    /// One snapshot for all statements, and no writes: for audits and reports.
    public static let snapshot = Self(begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    /// As if transactions ran one after the other; be ready to repeat it (SQLSTATE 40001).
    public static let serializable = Self(begin: "BEGIN ISOLATION LEVEL SERIALIZABLE")
}
