import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import OrchardServiceKit
import TestSupport

@testable import OrderLedger

/// A ledger on a database of its own: migrated by its owner, served under a role that may do no more than rule 7 allows.
struct TestLedger: Sendable {
    /// Owner of the schema, and superuser.
    let owner: PostgresConnection
    /// The service's connections.
    let database: PostgresPool
    let service: PostgresConfiguration
    let metrics: LedgerMetrics

    /// Runs `body` with a fresh ledger, and drops it afterwards.
    static func with(_ body: @Sendable (TestLedger) async throws -> Void) async throws {
        try await TestDatabase.with { try await open($0, body) }
    }

    private static func open(
        _ database: TestDatabase, _ body: @Sendable (TestLedger) async throws -> Void
    ) async throws {
        let owner = try await PostgresConnection.connect(database.configuration)
        try await LedgerSchema.migrator.migrate(owner)
        try await owner.execute("CREATE ROLE \(database.name) LOGIN IN ROLE \(LedgerSchema.serviceRole)")
        let service = database.configuration(as: database.name)
        let pool = PostgresPool(
            service, logger: Logger(label: "test"), metrics: MetricsRegistry(), readiness: Readiness())
        let ledger = TestLedger(
            owner: owner, database: pool, service: service, metrics: LedgerMetrics(MetricsRegistry()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await pool.run() }
            defer { group.cancelAll() }
            try await body(ledger)
        }
        try await owner.execute("DROP ROLE \(database.name)")
        await owner.close()
    }

    /// Writes what `InboxStarts` writes when a consumer is given partitions.
    func start() async throws {
        try await owner.execute(
            """
            INSERT INTO ledger.inbox_watermarks (topic, partition, next_offset, cluster_id, system_identifier, timeline)
            SELECT $1, p, 0, 'test', (SELECT system_identifier FROM pg_control_system()),
                substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM generate_series(0, 3) AS p
            ON CONFLICT DO NOTHING
            """, [Topic.journal.name])
    }

    var projection: Projection {
        Projection(
            database: database, inbox: LedgerSchema.inbox, outbox: LedgerSchema.outbox, metrics: metrics,
            logger: Logger(label: "test"))
    }

    /// Folds facts as the records from `offset` on.
    func fold(_ facts: [Fact], from offset: Int64 = 0, partition: Int32 = Shop.partition) async throws {
        try await fold(
            records: facts.enumerated().map { $1.record(at: offset + Int64($0), partition: partition) }, of: partition)
    }

    /// Folds records as one batch.
    func fold(records: [JournalRecord], of partition: Int32 = Shop.partition) async throws {
        try await start()
        try await projection.apply(records, of: partition)
    }

    /// The report of `order-ledger audit`.
    func audit() async throws -> AuditReport {
        let connection = try await PostgresConnection.connect(service)
        let report = try await connection.transaction(.snapshot) {
            try await Audit(reader: LedgerReader(connection: $0), inbox: LedgerSchema.inbox).run()
        }
        await connection.close()
        return report
    }

    /// Runs SQL as a superuser with all triggers off, as a tamperer would.
    func tamper(_ sql: String) async throws {
        try await owner.script("SET session_replication_role = replica; \(sql); SET session_replication_role = origin;")
    }
}
