import Contracts
import Crypto
import Foundation
import HTTPServer
import HTTPTypes
import Ledger
import LedgerFixtures
import Postgres
import ServiceKit
import Testing

@testable import OrderLedger

/// A ledger on a database of its own: migrated by its owner, served under a role that may do no more than rule 7 allows.
struct TestLedger: Sendable {
    /// libpq's connection string of a superuser, from `sandbox servers` (make test).
    static let server = ProcessInfo.processInfo.environment["ORCHARD_TEST_POSTGRES"]
    static var isAvailable: Bool { server != nil }

    /// Owner of the schema, and superuser.
    let owner: PostgresConnection
    /// The service's connections.
    let database: PostgresPool
    let service: PostgresConfiguration
    let metrics: LedgerMetrics

    /// How many ledgers are open at once: a server has 100 connections, and two cores.
    private static let turnstile = Turnstile(places: 4)

    /// Runs `body` with a fresh ledger, and drops it afterwards.
    static func with(_ body: @Sendable (TestLedger) async throws -> Void) async throws {
        try await turnstile.pass { try await open(body) }
    }

    private static func open(_ body: @Sendable (TestLedger) async throws -> Void) async throws {
        let server = try #require(server)
        let name = "ledger_\(UInt64.random(in: 0 ... .max))"
        let admin = try await PostgresConnection.connect(PostgresConfiguration(connectionString: server))
        try await admin.execute("CREATE DATABASE \(name)")
        let owner = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: "\(server) dbname=\(name)"))
        try await LedgerSchema.migrator.migrate(owner)
        try await owner.execute("CREATE ROLE \(name) LOGIN IN ROLE \(LedgerSchema.serviceRole)")
        // What InboxStarts writes when a consumer is given a partition.
        try await owner.execute(
            """
            INSERT INTO ledger.inbox_watermarks (topic, partition, next_offset, cluster_id, system_identifier, timeline)
            SELECT $1, p, 0, 'test', (SELECT system_identifier FROM pg_control_system()),
                substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM generate_series(0, 3) AS p
            """, [Topic.journal.name])
        let service = PostgresConfiguration(
            connectionString: "\(server) dbname=\(name) user=\(name)", poolSize: 2)
        let pool = PostgresPool(
            service, logger: Logger(label: "test"), metrics: MetricsRegistry(), readiness: Readiness())
        let ledger = TestLedger(
            owner: owner, database: pool, service: service, metrics: LedgerMetrics(MetricsRegistry()))
        let outcome: Result<Void, any Error> = await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await pool.run() }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(ledger)) } catch { outcome = .failure(error) }
            group.cancelAll()
            return outcome
        }
        await owner.close()
        try await admin.execute("DROP DATABASE \(name) WITH (FORCE)")
        try await admin.execute("DROP ROLE \(name)")
        await admin.close()
        try outcome.get()
    }

    var projection: Projection {
        Projection(
            database: database, inbox: LedgerSchema.inbox, outbox: LedgerSchema.outbox, metrics: metrics,
            logger: Logger(label: "test"))
    }

    /// Folds facts as the records from `offset` on.
    func fold(_ facts: [Fact], from offset: Int64 = 0, partition: Int32 = Shop.partition) async throws {
        let records = facts.enumerated().map { $1.record(at: offset + Int64($0), partition: partition) }
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
