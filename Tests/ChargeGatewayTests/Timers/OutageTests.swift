import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import ChargeGateway

@Suite("A database that loses connections", .timeLimit(.minutes(10)))
struct OutageTests {
    // Failure scenario 41.
    @Test("at any moment, also during COMMIT, charges nobody twice and forgets nobody")
    func connectionsLost() async throws {
        let script: [ScriptedAcquirer.Send] = [.loseAnswer, .refuseConnection, .loseRequest, .accept]
        let acquirer = ScriptedAcquirer(Array(repeating: script, count: 5).flatMap(\.self), delay: .milliseconds(2))
        // An intent whose COMMIT got no answer is sent only when it cannot be on its way any more.
        try await TestGateway.with([acquirer], policy: TestGateway.hastyPolicy) { gateway in
            let orders = (0..<30).map { _ in Shop.order() }
            let commands = try orders.map { Contracts.Command.charge(try gateway.shop.charge($0)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 1...40 {
                        try await gateway.owner.execute(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.4
                            """)
                        try await Task.sleep(for: .milliseconds(25))
                    }
                }
                // As the consumer does: again from its first record until it is committed.
                for (offset, command) in commands.enumerated() {
                    while (try? await gateway.take([command], from: Int64(offset))) == nil {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                for order in orders { try await gateway.wait(for: "succeeded", of: order) }
                try await group.waitForAll()
            }
            #expect(acquirer.book.count == 30)
            #expect(Set(acquirer.book.values.map(\.order)).count == 30, "one sale an order")
            #expect(try await gateway.count("gateway.operations") == 30)
        }
    }
}
