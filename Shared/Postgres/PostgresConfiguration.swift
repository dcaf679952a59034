import OrchardServiceKit

/// How to reach a database and how to behave there.
public struct PostgresConfiguration: Sendable {
    /// libpq's conninfo or URI (`postgresql://user@host/db?sslmode=verify-full`). Secret: it may hold a password.
    public var connectionString: String
    /// Shown in `pg_stat_activity`.
    public var applicationName: String
    /// Connections a pool keeps open.
    public var poolSize: Int
    /// How many callers may wait for a connection of a pool; further ones are refused at once.
    public var maximumWaiters: Int
    /// How long a caller waits for a connection of a pool.
    public var acquireTimeout: Duration
    /// A connection older than this is replaced when it is free, so that changed roles, settings and addresses arrive.
    public var maximumLifetime: Duration
    /// One attempt to connect.
    public var connectTimeout: Duration
    /// The server cancels a statement that takes longer; nil: none. Ten seconds later the connection counts as lost.
    public var statementTimeout: Duration?
    /// The server ends a session that does nothing inside a transaction for so long.
    public var idleInTransactionTimeout: Duration
    /// Whether statements are planned as look-ups by key, whatever the server's statistics are: for a service whose
    /// statements touch few rows of tables that grow for ever. A plan made while a table was small, or before it was
    /// analysed, would read all of it.
    ///
    /// What is known of a table only decides between its indexes. All of them cost the same while it is known to be
    /// empty, and a plan of that time may walk a whole index of the table that has grown. So a session plans its
    /// statements again after ``replanInterval``, also when autovacuum is late, which makes the server do so.
    ///
    /// Nothing is compiled (JIT): the server takes a statement for expensive when it has no other way than one of those
    /// that are off here, and would compile it at each execution, for about 14 ms.
    public var plansByKey = false
    /// How long a session keeps its plans, with ``plansByKey``. To plan fifty statements takes the server 5 ms.
    public var replanInterval: Duration = .seconds(60)

    /// What a session does for ``plansByKey``.
    public static let planningByKey = """
        SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
            set_config('enable_mergejoin', 'off', false), set_config('enable_material', 'off', false),
            set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false)
        """

    public init(
        connectionString: String, applicationName: String = "orchard", poolSize: Int = 8, maximumWaiters: Int = 1024,
        acquireTimeout: Duration = .seconds(10), maximumLifetime: Duration = .seconds(3600),
        connectTimeout: Duration = .seconds(5), statementTimeout: Duration? = .seconds(30),
        idleInTransactionTimeout: Duration = .seconds(15)
    ) {
        precondition(poolSize > 0, "a pool needs a connection")
        self.connectionString = connectionString
        self.applicationName = applicationName
        self.poolSize = poolSize
        self.maximumWaiters = maximumWaiters
        self.acquireTimeout = acquireTimeout
        self.maximumLifetime = maximumLifetime
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
        self.idleInTransactionTimeout = idleInTransactionTimeout
    }
}

extension PostgresConfiguration {
    /// Reads how to reach the database.
    ///
    /// Configuration keys:
    /// - `postgres.url` (required, secret): libpq's URI or conninfo
    /// - `postgres.pool.size` (default 8)
    /// - `postgres.statement.timeout` (default 30s)
    ///
    /// - Parameter applicationName: the program's name, shown in `pg_stat_activity`.
    public init(reader: ConfigReader, applicationName: String) {
        let postgres = reader.scoped(to: "postgres")
        self.init(
            connectionString: postgres.secret("url", doc: "The database: a PostgreSQL URI or libpq conninfo.").value,
            applicationName: applicationName,
            poolSize: postgres.int("pool.size", doc: "Connections to the database.", default: 8, in: 1...200),
            statementTimeout: postgres.duration(
                "statement.timeout", doc: "The server cancels a statement that takes longer.", default: .seconds(30),
                in: .milliseconds(100)...(.seconds(3_600))))
    }
}
