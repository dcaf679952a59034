import Contracts
import OrchardCrypto
import OrchardJOSE
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import ChargeGateway

@Suite("The start", .timeLimit(.minutes(10)))
struct StartupChecksTests {
    static func check(_ gateway: TestGateway, merchants: MerchantRegistry? = nil) async throws {
        try await StartupChecks(
            pool: gateway.pool,
            requiredKeys: RequiredSealingKeys(pool: gateway.pool, sealingKeys: gateway.shop.sealingKeys),
            merchants: { [registry = merchants ?? gateway.shop.registry] in registry }, readiness: Readiness(),
            logger: Logger(label: "test")
        ).check()
    }

    private func check(_ gateway: TestGateway) async throws { try await Self.check(gateway) }

    @Test("is allowed beside a charge whose rows are damaged: it waits alone")
    func damaged() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            for _ in 1...2 { try await gateway.take([.charge(try gateway.shop.charge(Shop.order()))]) }
            try await gateway.owner.script(
                """
                UPDATE gateway.operations SET account = NULL, sealing_key = repeat(U&'\\0300', 31)
                WHERE order_id = (SELECT min(order_id::text)::uuid FROM gateway.operations)
                """)
            try await check(gateway)
        }
    }

    @Test("is allowed when schema and keys are right")
    func opens() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try await gateway.take([.charge(try gateway.shop.charge(Shop.order()))])
            try await check(gateway)
        }
    }

    @Test("is refused as an owner of the schema, who could switch its guards off")
    func owner() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let rows = try await gateway.pool.withConnection { try await $0.query("SELECT current_user::text AS name") }
            try await gateway.owner.execute("ALTER TABLE gateway.operations OWNER TO \(rows[0].string("name"))")
            let error = await #expect(throws: PostgresError.self) { try await check(gateway) }
            #expect(error?.reason.contains("owns schema gateway") == true)
        }
    }

    @Test("is refused without a sealing key that a waiting charge needs, and names it")
    func missingKey() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let lost = try P256PrivateKey.generate()
            try await gateway.take([
                .charge(try gateway.shop.charge(Shop.order(), sealedTo: ("lost", lost.publicKey)))
            ])
            let error = await #expect(throws: ConfigurationError.self) { try await check(gateway) }
            #expect(error?.description.contains("lost") == true)
        }
    }

    @Test("does not miss a key whose charges have all expired")
    func expiredKey() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let lost = try P256PrivateKey.generate()
            try await gateway.take([
                .charge(try gateway.shop.charge(Shop.order(), sealedTo: ("lost", lost.publicKey)))
            ])
            try await gateway.owner.execute("UPDATE gateway.operations SET expires_at = now() - interval '1 second'")
            try await check(gateway)
        }
    }

    @Test("is refused, not tried for ever, when a check takes longer than a statement may")
    func slow() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let rows = try await gateway.pool.withConnection { try await $0.query("SELECT current_user::text AS name") }
            let (server, name) = (try #require(TestGateway.server), try rows[0].string("name"))
            let pool = PostgresPool(
                PostgresConfiguration(
                    connectionString: "\(server) dbname=\(name) user=\(name)", poolSize: 1,
                    statementTimeout: .milliseconds(300)), logger: gateway.logger, readiness: Readiness())
            let needs = RequiredSealingKeys(pool: pool, sealingKeys: gateway.shop.sealingKeys)
            let rules = StartupChecks(
                pool: pool, requiredKeys: needs, merchants: { [registry = gateway.shop.registry] in registry },
                readiness: Readiness(), logger: gateway.logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await pool.run() }
                defer { group.cancelAll() }
                try await gateway.owner.transaction { connection in
                    try await connection.execute("LOCK TABLE gateway.operations")
                    let error = await #expect(throws: ConfigurationError.self) { try await rules.check() }
                    #expect(error?.description.contains("postgres.statement-timeout") == true)
                    await needs.report(gateway.readiness)
                }
                let component = gateway.readiness.report.components["sealing keys"]
                #expect(component?.isReady == false)
                #expect(component?.reason.contains("57014") == true)
            }
        }
    }
}
