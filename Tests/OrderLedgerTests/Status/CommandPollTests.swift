import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import Testing

@testable import OrderLedger

@Suite("Waiting for a command", .timeLimit(.minutes(10)))
struct CommandPollTests {
    private static let amount = Money(minorUnits: 10_900, currency: .cny)

    private static func paid(_ shop: TestShop) async throws -> TestShop.Opened {
        let order = try await shop.open()
        try await shop.journal(order, order.history.payment(amount: amount, .accepted, .succeeded))
        return order
    }

    private static func void(_ shop: TestShop, _ order: TestShop.Opened) async throws -> CommandID {
        let answer = try await shop.send(.post, "/v1/orders/\(order.id)/voids")
        return try #require(try answer.json["commandId"]?.string.flatMap { CommandID($0) }, "\(answer.text)")
    }

    private static func fact(
        _ order: TestShop.Opened, _ command: CommandID, _ kind: FollowUpKind, _ transition: Int64,
        _ event: FollowUpEvent
    ) -> Fact {
        .followUp(
            FollowUpFact(
                order: order.id, merchant: order.history.merchant, payment: Shop.paymentID(1), kind: kind,
                target: kind == .void ? .sale : nil, cause: .command(command), transition: transition, amount: amount,
                event: event))
    }

    @Test("A poll that waits is woken by the outcome; a void that fell to a refund shows both")
    func woken() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop)
            let command = try await Self.void(shop, order)
            let target = "/v1/orders/\(order.id)/commands/\(command)"
            #expect(try await shop.send(.get, target).json["status"]?.string == "requested")
            async let response = shop.send(.get, target + "?wait=25")
            try await shop.untilPollWaits()
            let facts = [
                Self.fact(order, command, .void, 1, .accepted), Self.fact(order, command, .void, 2, .failed),
                Self.fact(order, command, .refund, 1, .accepted), Self.fact(order, command, .refund, 2, .succeeded),
            ]
            for (index, fact) in facts.enumerated() {
                try await shop.ledger.fold([fact], from: Int64(3 + index), partition: order.partition)
                if index == 1 {
                    let between = try await shop.send(.get, target).json
                    #expect(between["status"]?.string == "inProgress" && between["final"]?.bool == false)
                }
            }
            let answer = try await response.json
            #expect(answer["status"]?.string == "done" && answer["final"]?.bool == true, "\(answer)")
            #expect(answer["operations"]?.array?.compactMap { $0["kind"]?.string } == ["void", "refund"])
            #expect(answer["operations"]?[0]?["reason"]?.string == "originalState")
            #expect(answer["requestedAt"]?.string == "2023-11-14T22:13:20Z")
        }
    }

    @Test("A command that the gateway rejected has its reason, and no operation")
    func rejected() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop)
            let command = try await Self.void(shop, order)
            let rejected = CommandRejected(
                order: order.id, merchant: order.history.merchant, command: command,
                commandType: CommandType.void.rawValue, reason: .noRoute)
            try await shop.ledger.fold([.commandRejected(rejected)], from: 3, partition: order.partition)
            let answer = try await shop.send(.get, "/v1/orders/\(order.id)/commands/\(command)?wait=25").json
            #expect(answer["status"]?.string == "rejected" && answer["reason"]?.string == "noRoute")
            #expect(answer["operations"] == nil && answer["final"]?.bool == true)
        }
    }

    @Test("A cancel has an outcome too; other commands, orders and merchants have none")
    func others() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let cancel = try await shop.send(
                .post, "/v1/orders/\(order.id)/cancel", body: Array(#"{"reason":"shop"}"#.utf8))
            let command = try #require(try cancel.json["commandId"]?.string)
            let target = "/v1/orders/\(order.id)/commands/\(command)"
            let known = try await shop.send(.get, target).json
            #expect(known["status"]?.string == "requested" && known["cancelReason"]?.string == "shop")
            for (target, bearer, code) in [
                ("/v1/orders/\(order.id)/commands/\(Shop.order)", Shop.apiKey, "no-such-command"),
                ("/v1/orders/\(order.id)/commands/x", Shop.apiKey, "no-such-command"),
                ("/v1/orders/\(Shop.order)/commands/\(command)", Shop.apiKey, "no-such-order"),
                (target, "other-key", "no-such-order"),
            ] {
                let answer = try await shop.send(.get, target, bearer: bearer)
                #expect(try answer.status == .notFound && answer.json["code"]?.string == code, "\(answer.text)")
            }
            let long = try await shop.send(.get, target + "?wait=26")
            #expect(try long.status == .badRequest && long.json["field"]?.string == "wait")
        }
    }
}
