import OrchardServiceKit
import TestSupport
import Testing

@testable import OrchardPostgres

@Suite("Durability", .timeLimit(.minutes(4)))
struct DurabilityTests {
    @Test(
        "of every session is at least the server's own disk, whatever database and connection string say",
        arguments: [
            ("off", "on"), ("local", "on"), ("remote_write", "on"), ("on", "on"), ("remote_apply", "remote_apply"),
        ])
    func commitsAreSynchronous(_ said: String, _ expected: String) async throws {
        try await TestDatabase.with { database in
            try await withConnection(to: database.configuration) {
                try await $0.execute("ALTER DATABASE \(database.name) SET synchronous_commit = \(said)")
            }
            try await withConnection(to: database.configuration) { connection in
                let setting = try await Self.synchronousCommit(connection)
                #expect(setting == expected)
            }
            var configuration = database.configuration
            configuration.connectionString += " options='-c synchronous_commit=\(said)'"
            try await withPool(configuration) { pool in
                let setting = try await pool.withConnection { try await Self.synchronousCommit($0) }
                #expect(setting == expected)
            }
        }
    }

    @Test(
        "is missing where the server may lose what it committed, and the words name the settings",
        arguments: [
            (false, true, "fsync is off"), (true, false, "full_page_writes is off"),
            (false, false, "fsync and full_page_writes are off"),
        ])
    func refusals(_ flushes: Bool, _ writesFullPages: Bool, _ text: String) {
        var settings = DurabilitySettings(flushes: flushes, writesFullPages: writesFullPages, isThrowAway: false)
        #expect(settings.refusal?.hasPrefix(text) == true)
        #expect(settings.refusal?.contains("postgresql.conf") == true)
        settings.isThrowAway = true
        #expect(settings.refusal == nil && !settings.isDurable)
        #expect(DurabilitySettings(flushes: true, writesFullPages: true, isThrowAway: false).refusal == nil)
    }

    /// The private cluster of the tests runs without fsync, and says that it may.
    private static func refused(_ database: TestDatabase) -> PostgresConfiguration {
        var configuration = database.configuration
        configuration.connectionString += " options='-c \(DurabilitySettings.throwAwayKey)=off'"
        return configuration
    }

    @Test("is demanded of every connection, and of a pool before it begins")
    func refusedAtTheStart() async throws {
        try await TestDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                _ = try await PostgresConnection.connect(Self.refused(database))
            }
            #expect(error?.code == .notDurable)
            #expect(error?.reason.hasPrefix("fsync and full_page_writes are off") == true)
            let pool = PostgresPool(
                Self.refused(database), logger: Logger(label: "test"), readiness: Readiness())
            let end = await #expect(throws: PostgresError.self) { try await pool.run() }
            #expect(end?.code == .notDurable)
        }
    }

    @Test("is demanded after a failover too: the pool lends nothing, and the readiness tells why")
    func refusedLater() async throws {
        try await TestDatabase.with { database in
            let readiness = Readiness()
            try await withPool(database.configuration, readiness: readiness) { pool in
                try await eventually { readiness.report.isReady }
                try await withConnection(to: database.configuration) { owner in
                    try await owner.execute(
                        "ALTER DATABASE \(database.name) SET \(DurabilitySettings.throwAwayKey) = 'off'")
                    try await eventually {
                        // Those that were made meanwhile, too.
                        try await owner.execute(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
                        return readiness.report.components["postgres"]?.reason.contains("fsync") == true
                    }
                }
                #expect(!readiness.report.isReady)
            }
        }
    }

    private static func synchronousCommit(_ connection: PostgresConnection) async throws -> String {
        try await connection.query("SELECT current_setting('synchronous_commit') AS value")[0].string("value")
    }

    private func withConnection(
        to configuration: PostgresConfiguration, _ body: (PostgresConnection) async throws -> Void
    ) async throws {
        let connection = try await PostgresConnection.connect(configuration)
        try await body(connection)
        await connection.close()
    }
}
