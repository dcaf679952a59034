import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import OrchardServiceKit
import TestSupport

@testable import OrderLedger

/// A ledger on a database of its own. Its owner migrates it, and it runs under a role with only the rights of rule 7.
struct TestLedger: Sendable {
    /// Owner of the schema, and superuser.
    let owner: PostgresConnection
    /// The service's connections.
    let database: PostgresPool
    let service: PostgresConfiguration
    let metrics: LedgerMetrics
    /// The status changes of the process that folds.
    let statusChanges: OrderStatusChanges

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
        var serving = service
        serving.plansByKey = true
        let pool = PostgresPool(
            serving, logger: Logger(label: "test"), metrics: MetricsRegistry(), readiness: Readiness())
        let metrics = LedgerMetrics(MetricsRegistry())
        let listener = PostgresListener(service, channels: [OrderStatusChanges.channel], logger: Logger(label: "test"))
        let ledger = TestLedger(
            owner: owner, database: pool, service: service, metrics: metrics,
            statusChanges: OrderStatusChanges(listener: listener, database: pool, waiting: metrics.longPolls))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await pool.run() }
            defer { group.cancelAll() }
            try await body(ledger)
        }
        try await owner.execute("DROP ROLE \(database.name)")
        await owner.close()
    }

    /// Writes what `InboxStarts` writes when a consumer is assigned partitions.
    func start(partitions: Int32 = 4) async throws {
        try await owner.execute(
            """
            INSERT INTO ledger.inbox_watermarks (topic, partition, next_offset, cluster_id, system_identifier, timeline, objects)
            SELECT $1, p, 0, 'test', (SELECT system_identifier FROM pg_control_system()),
                substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
                (SELECT oid FROM pg_database WHERE datname = current_database())::text || '/'
                    || 'ledger.inbox_watermarks'::regclass::oid::text FROM generate_series(0, $2 - 1) AS p
            ON CONFLICT DO NOTHING
            """, [Topic.journal.name, partitions])
    }

    var projection: Projection { projection(telling: statusChanges.publish) }

    func projection(
        webhooks: WebhookWriter? = nil, telling statusChanges: @escaping @Sendable ([OrderID]) -> Void
    ) -> Projection {
        Projection(
            database: database, inbox: LedgerSchema.inbox, outbox: LedgerSchema.outbox, metrics: metrics,
            logger: Logger(label: "test"),
            webhooks: webhooks ?? WebhookWriter(merchant: { _ in nil }), statusChanges: statusChanges)
    }

    /// Folds facts as the records from `offset` on.
    func fold(_ facts: [Fact], from offset: Int64 = 0, partition: Int32 = Shop.partition) async throws {
        try await fold(records: facts.records(from: offset, partition: partition), of: partition)
    }

    /// Folds records as one batch.
    func fold(records: [JournalRecord], of partition: Int32 = Shop.partition) async throws {
        try await start()
        try await projection.apply(records, of: partition, from: records[0].position.offset)
    }

    /// Stores records as order-ledger did before it packed them.
    func unpack(upTo last: Int64 = .max) async throws {
        try await tampering { connection in
            let rows = try await connection.query(
                "SELECT partition, \"offset\", \(JournalRecord.columns) FROM ledger.facts WHERE \"offset\" <= $1",
                [last])
            for row in rows {
                let place = JournalPosition(partition: try row.int32("partition"), offset: try row.int64("offset"))
                guard let record = try JournalRecord(row, at: place) else { continue }
                try await connection.execute(
                    """
                    UPDATE ledger.facts SET record = NULL, key = $1, headers = $2, value = $3
                    WHERE partition = $4 AND "offset" = $5
                    """, [record.key, record.headerBytes, record.value, place.partition, place.offset])
            }
        }
    }

    /// The report of `order-ledger audit`.
    ///
    /// - Parameters:
    ///   - now: the clock for the facts' times; those of the tests lie just before it.
    ///   - connections: how many partitions are checked at once.
    func audit(at now: Timestamp = Shop.now, connections: Int = 2) async throws -> AuditReport {
        var service = service
        service.poolSize = connections
        return try await LedgerConnections.with(service) {
            try await Audit(connections: $0, inbox: LedgerSchema.inbox, now: now).run()
        }
    }

    /// Runs SQL as the owner with all triggers off, as a tamperer would who then hides it.
    func tamper(_ sql: String) async throws {
        try await tampering { try await $0.script(sql) }
    }

    /// Runs `body` as the owner with all triggers off. Afterwards they are as the migrations made them.
    @discardableResult
    func tampering<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        try await owner.transaction { connection in
            for table in JournalTables.appendOnly {
                try await connection.script("ALTER TABLE ledger.\(table) DISABLE TRIGGER USER")
            }
            let value = try await body(connection)
            for table in JournalTables.appendOnly {
                try await connection.script(
                    "ALTER TABLE ledger.\(table) ENABLE ALWAYS TRIGGER \(table)_append_only")
            }
            try await connection.script("ALTER TABLE ledger.entries ENABLE ALWAYS TRIGGER entries_balance")
            return value
        }
    }
}
