import Contracts
import Crypto
import JOSE
import Postgres
import ServiceKit
import Testing

@testable import ChargeGateway

@Suite("The start")
struct StartRulesTests {
    private func start(_ gateway: TestGateway, _ gate: Gate) async throws {
        let shutdown = GracefulShutdown()
        try await GracefulShutdown.$current.withValue(shutdown) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await StartRules(
                        pool: gateway.pool,
                        needs: KeyNeeds(pool: gateway.pool, sealingKeys: gateway.shop.sealingKeys), gate: gate,
                        readiness: Readiness(), logger: gateway.logger
                    ).run()
                }
                group.addTask {
                    await gate.pass()
                    shutdown.begin()
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    @Test("opens the gate when schema and keys are right")
    func opens() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try await gateway.take([.charge(try gateway.shop.charge(Shop.order()))])
            let gate = Gate()
            try await start(gateway, gate)
            #expect(gate.isOpen)
        }
    }

    @Test("is refused without a sealing key that a waiting charge needs, and names it")
    func missingKey() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let lost = try P256PrivateKey.generate()
            try await gateway.take([
                .charge(try gateway.shop.charge(Shop.order(), sealedTo: ("lost", lost.publicKey)))
            ])
            let gate = Gate()
            let error = await #expect(throws: ConfigurationError.self) { try await start(gateway, gate) }
            #expect(error?.description.contains("lost") == true)
            #expect(!gate.isOpen)
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
            let gate = Gate()
            try await start(gateway, gate)
            #expect(gate.isOpen)
        }
    }
}
