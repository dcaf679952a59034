import OrchardServiceKit

/// What went wrong between this process and PostgreSQL.
///
/// Never holds the value of a parameter: the server's detail and context lines are dropped, and so is its message where
/// messages of that class quote the offending value.
public struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; for ``Code/server`` the SQLSTATE says more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// No connection could be made.
        public static let connectionFailed = Self(description: "connectionFailed")
        /// The server may lose what it has committed (`fsync` or `full_page_writes` is off).
        public static let notDurable = Self(description: "notDurable")
        /// The connection died. A transaction that was not being committed is undone; a statement that was sent outside
        /// of one may have been done.
        public static let connectionLost = Self(description: "connectionLost")
        /// The connection died during COMMIT: read the database to find out whether the transaction happened.
        public static let commitUnknown = Self(description: "commitUnknown")
        /// COMMIT was answered with ROLLBACK, because a statement had failed before and its error was swallowed.
        public static let transactionAborted = Self(description: "transactionAborted")
        /// The task was cancelled; the statement was cancelled on the server or not sent.
        public static let cancelled = Self(description: "cancelled")
        /// The server refused: see ``PostgresError/sqlState``.
        public static let server = Self(description: "server")
        /// The pool was stopped.
        public static let poolClosed = Self(description: "poolClosed")
        /// No connection was free in time, or too many were waiting already.
        public static let poolExhausted = Self(description: "poolExhausted")
        /// A column is missing, NULL where a value is needed, or of another type.
        public static let value = Self(description: "value")
        /// The schema is not what the binary needs, or its history was changed.
        public static let migration = Self(description: "migration")
        /// The caller did what this library does not do (a nested transaction, COPY …).
        public static let misuse = Self(description: "misuse")
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do.
    public let reason: String
    /// The server's five-character SQLSTATE, when the server spoke (PostgreSQL's appendix A).
    public let sqlState: String?
    /// The constraint that was violated, when there is one.
    public let constraint: String?
    /// The beginning of the SQL text, without its parameters, where there is one.
    public let statement: String?

    public init(
        _ code: Code, _ reason: String, sqlState: String? = nil, constraint: String? = nil, statement: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.sqlState = sqlState
        self.constraint = constraint
        self.statement = statement.map(Self.abbreviate)
    }

    public var description: String {
        var text = "\(code)"
        if let sqlState { text += " \(sqlState)" }
        text += ": \(reason)"
        if let statement { text += " [\(statement)]" }
        return text
    }

    /// A row with the same key is there already (SQLSTATE 23505); ``constraint`` names the key.
    public var isUniqueViolation: Bool { sqlState == "23505" }

    func during(_ sql: String) -> Self {
        Self(code, reason, sqlState: sqlState, constraint: constraint, statement: statement ?? sql)
    }

    /// One line of at most 120 characters.
    private static func abbreviate(_ sql: String) -> String {
        let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count <= 120 ? line : line.prefix(119) + "…"
    }
}

extension PostgresError: TransientError {
    /// Whether time alone heals it, so that the work may be done again from its beginning. What COMMIT left unknown must
    /// be safe to repeat. A pool that was closed is never opened again.
    public var isTransient: Bool {
        switch code {
        case .connectionFailed, .connectionLost, .commitUnknown, .poolExhausted: true
        // A standby that is being promoted (25006); a prepared statement whose tables have changed (0A000) or whose
        // name is unknown (26000), which the connection prepares anew; connection, conflicts, out of resources, locks
        // and time-outs, shutting down, broken disks (classes 08, 40, 53, 55, 57, 58).
        case .server:
            ["25006", "0A000", "26000"].contains(sqlState)
                || ["08", "40", "53", "55", "57", "58"].contains(sqlState?.prefix(2))
        default: false
        }
    }
}
