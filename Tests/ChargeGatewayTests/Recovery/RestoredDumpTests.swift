import Contracts
import Foundation
import KeyFiles
import OrchardPostgres
import SandboxBroker
import SandboxDatabase
import TestSupport
import Testing

@testable import ChargeGateway

/// The server tells no difference between a dump's tables and those that it was made of; the timers would step them at once.
@Suite("A dump restored on the server that it was made on", .timeLimit(.minutes(10)))
struct RestoredDumpTests {
    // Failure scenario 56.
    @Test("ends nothing by a timer and asks nobody until recover --restored: what was sent since is unknown then")
    func timers() async throws {
        try await TestDeployment.with { deployment in
            let order = Shop.order()
            // Never final at the acquirer, and expired in a minute.
            let ticket = try deployment.shop.ticket(order, amount: 10_741, issued: .now + .seconds(-540))
            let charge = try deployment.shop.charge(order, ticket: ticket)
            // No send leaves: nobody listens at that port.
            let first = try deployment.gateway(["UNIONPAY_URL": "http://127.0.0.1:\(try FreePorts.take(1)[0])"])
            try await deployment.publish([.charge(charge)])
            let unsent = "SELECT count(*) AS n FROM gateway.operations WHERE phase = 'created' AND unsent > 0"
            try await first.until { try await deployment.owner.query(unsent)[0].int64("n") == 1 }
            try await first.until { try await deployment.journal()[order] == ["accepted"] }
            first.signal(SIGTERM)
            #expect(try await first.status() == 0)
            let dump = deployment.shop.folder.appending(path: "dump.sql")
            try await PrivateCluster.dump(deployment.databaseURL(), to: dump)

            let second = try deployment.gateway()
            try await second.until { try await deployment.journal()[order] == ["accepted", "unknown"] }
            second.signal(SIGKILL)
            let name = "\(deployment.name)_restored"
            try await deployment.owner.execute("CREATE DATABASE \(name)")
            try await PrivateCluster.restore(dump, to: deployment.databaseURL(name))
            let restored = try await PostgresConnection.connect(
                PostgresConfiguration(connectionString: deployment.databaseURL(name)))
            func state() async throws -> String {
                try await restored.query(
                    "SELECT concat_ws(' ', phase, sends, queries, transition) AS state FROM gateway.operations"
                )[0].string("state")
            }
            let dumped = try await state()
            #expect(dumped.hasPrefix("created") && dumped.hasSuffix(" 1"))
            let isOver = "SELECT expires_at < now() AS is_over FROM gateway.operations"
            try await second.until { try await restored.query(isOver)[0].bool("is_over") }

            let settings = ["POSTGRES_URL": deployment.databaseURL(name, user: deployment.name)]
            let third = try deployment.gateway(settings)
            try await third.until { third.log.contains("Run `charge-gateway recover --restored`") }
            // Many looks of the timers.
            try await Task.sleep(for: .seconds(3))
            third.signal(SIGKILL)
            #expect(try await state() == dumped)
            let recovery = try deployment.run(["recover", "--restored"], settings)
            #expect(try await recovery.status() == 0, "\(recovery.log)")
            #expect(try await state().hasPrefix("unknown"))

            let fourth = try deployment.gateway(settings)
            let isAsked = "SELECT queries > 0 AND phase IN ('pending', 'unknown') AS is_asked FROM gateway.operations"
            try await fourth.until { try await restored.query(isAsked)[0].bool("is_asked") }
            #expect(try await deployment.journal()[order] == ["accepted", "unknown"])
            fourth.signal(SIGTERM)
            #expect(try await fourth.status() == 0, "\(fourth.log.suffix(2_000))")
            await restored.close()
            try await deployment.owner.execute("DROP DATABASE \(name) WITH (FORCE)")
        }
    }
}
