import OrchardPostgres

/// How far a service has processed a partition of a topic.
public struct Watermark: Hashable, Sendable {
    /// The first offset that is not in the database.
    public let nextOffset: Int64
    /// Records processed since the beginning, with duplicates.
    public let count: Int64
    /// The log it belongs to.
    public let clusterID: String
    /// The server and timeline that wrote it.
    public let server: DatabaseServer
    /// Why the partition stops until `recover` is run; nil when it does not stop.
    public let refusal: String?
    /// The end of the log at the last recovery; 0 when there was none. Below it the group may have committed what this
    /// database has lost.
    public let mark: Int64
    /// The last processed record; nil when there is none since the beginning, or since another log is read.
    public let last: LastRecord?

    public init(
        nextOffset: Int64, count: Int64, clusterID: String, server: DatabaseServer, refusal: String? = nil,
        mark: Int64 = 0, last: LastRecord? = nil
    ) {
        self.last = last
        self.refusal = refusal
        self.mark = mark
        self.nextOffset = nextOffset
        self.count = count
        self.clusterID = clusterID
        self.server = server
    }
}

/// A PostgreSQL server on one timeline, and the tables on it: a promoted standby or a restored backup counts as another
/// one.
public struct DatabaseServer: Hashable, Sendable {
    /// `system_identifier` of `pg_control_system()`.
    public let identifier: Int64
    /// The current timeline, eight hex digits.
    public let timeline: String
    /// The object identifiers of the database and of the watermark table. A restored dump gets others, also on the same
    /// server; a standby has the same.
    public let objects: String

    public init(identifier: Int64, timeline: String, objects: String) {
        self.identifier = identifier
        self.timeline = timeline
        self.objects = objects
    }

    init(_ row: PostgresRow) throws {
        self.init(
            identifier: try row.int64("identifier"), timeline: row.comparableText("timeline") ?? "",
            objects: row.comparableText("objects") ?? "")
    }

    /// Whether these are the same tables, though the timeline may differ.
    func holdsTables(of other: DatabaseServer) -> Bool { identifier == other.identifier && objects == other.objects }

    var description: String { "\(identifier) on timeline \(timeline), tables \(objects)" }

    /// The server of a connection, and a service's tables there.
    static func current(of schema: String, on connection: PostgresConnection) async throws -> DatabaseServer {
        let rows = try await connection.query("SELECT \(columns(of: schema))")
        guard let row = rows.first else {
            throw StoreError(.malformed, at: "system_identifier", "the server does not report its identity")
        }
        return try DatabaseServer(row)
    }

    /// Selects the columns `identifier`, `timeline` and `objects`; an ordinary role may do so too. The timeline and the table
    /// may change under a session: they are read each time.
    static func columns(of schema: String) -> String {
        """
        \(ServerIdentity.systemIdentifier) AS identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline,
        \(ServerIdentity.database) || '/' || '\(schema).inbox_watermarks'::regclass::oid::text AS objects
        """
    }
}
