import Charging
import Contracts
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("Commands that were set aside, taken again", .timeLimit(.minutes(10)))
struct ReplayTests {
    // Failure scenario 45.
    @Test("take effect once, when their route is back")
    func route() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let record = KafkaRecord(.charge(try gateway.shop.charge(order)), at: 0)
            let edited = gateway.commands(
                with: try gateway.shop.registry(replacing: Shop.account, with: "777290058110049"))
            await #expect(throws: ReplayError.self, "it was not read yet") { try await edited.replay(record) }
            try await edited.process([record], of: 0)
            guard case .setAside = try await edited.replay(record) else { throw CancellationError() }
            #expect(try await letters(gateway) == 1, "it is told once")
            #expect(try await gateway.commands.replay(record) == .processed(["accepted"]))
            #expect(try await gateway.commands.replay(record) == .known("created"))
            #expect(try await gateway.story(of: order) == ["accepted"])
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset = 1 AND count = 1") == 1)
        }
    }

    @Test("are declined when their time is over, and what was told as declined stays declined")
    func declined() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let (late, unreadable) = (Shop.order(), Shop.order())
            let old = try gateway.shop.ticket(late, issued: .now - .seconds(700), lifetime: .seconds(600))
            let record = KafkaRecord(.charge(try gateway.shop.charge(late, ticket: old)), at: 0)
            let edited = gateway.commands(
                with: try gateway.shop.registry(replacing: Shop.account, with: "777290058110049"))
            var bad = KafkaRecord(.charge(try gateway.shop.charge(unreadable, sealedCard: "a\0b")), at: 1)
            try await edited.process([record, bad], of: 0)
            #expect(try await gateway.commands.replay(record) == .processed(["declined: expired"]))
            // A newer version that reads it would not take it either.
            bad.value = KafkaRecord(.charge(try gateway.shop.charge(unreadable, payment: payment(bad))), at: 1).value
            #expect(try await gateway.commands.replay(bad) == .known("declined"))
            #expect(try await gateway.story(of: unreadable) == ["declined: unreadable"])
        }
    }

    @Test("for a ticket key that was missing raise an alarm, and are taken when it is back")
    func ticketKey() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let key = try P256PrivateKey.generate()
            let ticket = try gateway.shop.ticket(order, keyID: "new", key: key)
            var record = KafkaRecord(.charge(try gateway.shop.charge(order, ticket: ticket)), at: 0)
            record.timestamp -= 17 * 60_000
            try await gateway.commands.process([record], of: 0)
            #expect(gateway.metrics.expose().contains("kind=\"ticketKeyUnknown\"} 1"))
            #expect(try await letters(gateway) == 1)
            #expect(try await gateway.story(of: order).isEmpty)
            try gateway.shop.publish(tickets: [JWK(keyID: "new", publicKey: key.publicKey)])
            #expect(try await gateway.commands.replay(record) == .processed(["accepted"]))
        }
    }

    @Test("with a ticket from the future that outlasts the wait raise an alarm, and are taken when the clocks agree")
    func futureTicket() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let ticket = try gateway.shop.ticket(order, issued: .now + .seconds(63))
            var record = KafkaRecord(.charge(try gateway.shop.charge(order, ticket: ticket)), at: 0)
            record.timestamp -= 17 * 60_000
            try await gateway.commands.process([record], of: 0)
            #expect(gateway.metrics.expose().contains("kind=\"ticketNotYetValid\"} 1"))
            #expect(try await letters(gateway) == 1)
            try await eventually {
                _ = try await gateway.commands.replay(record)
                return try await !gateway.story(of: order).isEmpty
            }
            #expect(try await gateway.story(of: order) == ["accepted"])
        }
    }

    @Test("that are none of ours stay where they are")
    func nothing() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            var record = KafkaRecord(.signed(try gateway.shop.cancel(Shop.order())), at: 0)
            record.headers = []
            try await gateway.commands.process([record], of: 0)
            guard case .setAside = try await gateway.commands.replay(record) else { throw CancellationError() }
            #expect(try await gateway.count("gateway.orders") == 0)
        }
    }

    private func payment(_ record: KafkaRecord) throws -> PaymentID {
        guard let payment = IncomingCommand(record).payment else { throw CancellationError() }
        return payment
    }

    private func letters(_ gateway: TestGateway) async throws -> Int64 {
        try await gateway.count("gateway.outbox WHERE topic = '\(Topic.charges.deadLetters.name)'")
    }
}
