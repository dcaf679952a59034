import OrchardPostgres

/// How far a service has taken a partition of a topic into its database.
public struct Watermark: Hashable, Sendable {
    /// The first offset that is not in the database.
    public let nextOffset: Int64
    /// Records taken since the beginning, duplicates included.
    public let count: Int64
    /// The log it belongs to.
    public let clusterID: String
    /// The server and timeline that wrote it.
    public let server: DatabaseServer
    /// Why the partition stands until `recover` is run; nil when it does not.
    public let refusal: String?
    /// The end of the log at the last recovery; 0 when there was none. Up to there the group may have committed what this
    /// database has lost.
    public let mark: Int64

    public init(
        nextOffset: Int64, count: Int64, clusterID: String, server: DatabaseServer, refusal: String? = nil,
        mark: Int64 = 0
    ) {
        self.refusal = refusal
        self.mark = mark
        self.nextOffset = nextOffset
        self.count = count
        self.clusterID = clusterID
        self.server = server
    }
}

/// A PostgreSQL server in one of its histories: a promoted standby or a restored backup is another.
public struct DatabaseServer: Hashable, Sendable {
    /// `system_identifier` of `pg_control_system()`.
    public let identifier: Int64
    /// The current timeline, eight hex digits.
    public let timeline: String

    public init(identifier: Int64, timeline: String) {
        self.identifier = identifier
        self.timeline = timeline
    }

    var description: String { "\(identifier) on timeline \(timeline)" }

    /// The server of a connection.
    static func current(on connection: PostgresConnection) async throws -> DatabaseServer {
        let rows = try await connection.query("SELECT \(columns)")
        guard let row = rows.first else {
            throw StoreError(.malformed, at: "pg_control_system", "the server does not tell what it is")
        }
        return DatabaseServer(identifier: try row.int64("identifier"), timeline: try row.string("timeline"))
    }

    /// Selects the columns `identifier` and `timeline`; for an ordinary role too.
    static let columns = """
        (SELECT system_identifier FROM pg_control_system()) AS identifier,
        substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline
        """
}
