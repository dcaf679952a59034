import Contracts
import Foundation
import OrchardCrypto
import OrchardPostgres
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("A gateway whose topic of dead letters was made anew", .timeLimit(.minutes(8)))
struct RemadeTopicTests {
    private static let topic = Topic.charges.deadLetters.name

    @Test("charges on, names the topic and the command, and sends the next letter when that was run")
    func deadLetters() async throws {
        try await TestDeployment.with { deployment in
            func letter() throws -> Contracts.Command {
                let order = Shop.order()
                return .charge(
                    try deployment.shop.charge(
                        order, ticket: deployment.shop.ticket(order, key: P256PrivateKey.generate())))
            }
            func published() async throws -> Int64 {
                try await deployment.owner.query(
                    "SELECT coalesce(max(last_sequence), 0) - (SELECT count(*) FROM gateway.outbox) AS told "
                        + "FROM gateway.outbox_streams WHERE topic = '\(Self.topic)'")[0].int64("told")
            }
            let first = try deployment.gateway()
            try await deployment.publish([letter()])
            try await first.until { try await published() == 1 }
            first.signal(SIGTERM)
            #expect(try await first.status() == 0)
            // The log that acknowledged the letter was longer than the one that is there now.
            try await deployment.owner.execute(
                "UPDATE gateway.outbox_streams SET last_offset = 40 WHERE topic = '\(Self.topic)'")

            let second = try deployment.gateway()
            let charge = try deployment.shop.charge(Shop.order())
            try await deployment.publish([letter(), .charge(charge)])
            try await second.until { try await deployment.journal()[charge.order]?.last == "succeeded" }
            try await second.until {
                second.log.contains("\(Self.topic)/0 ends at offset 1, but a record was acknowledged at 40")
                    && second.log.contains("until an operator runs `charge-gateway recover --restored`")
            }
            let listing = try deployment.run(["recover"], [:])
            #expect(try await listing.status() == 1)
            #expect(listing.log.contains("\(Self.topic)/0 ends at offset 1"), "\(listing.log)")
            let recovery = try deployment.run(["recover", "--restored"], [:])
            #expect(try await recovery.status() == 0, "\(recovery.log)")
            try await second.until { try await published() == 2 }
            second.signal(SIGTERM)
            #expect(try await second.status() == 0, "\(second.log.suffix(2_000))")
        }
    }
}
