import Charging
import Contracts
import KeyFiles
import OrchardPostgres
import Testing

@testable import ChargeGateway

@Suite("Charges without an end")
struct ResolutionTests {
    @Test("are listed, and ended by a person's word through the same step as every other input")
    func resolved() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let (order, other) = (Shop.order(), Shop.order())
            let command = try gateway.shop.charge(order)
            try await gateway.take([.charge(command), .charge(try gateway.shop.charge(other))])
            let word = try #require(Resolution(.paid, reason: "hotline", by: "li.wei"))
            let resolution = ChargeResolution(transactions: gateway.transactions)
            let never = try await resolution.resolve(order, command.payment.description, word)
            #expect(!never.isDone && never.text.contains("ends by itself"))
            #expect(try await !resolution.resolve(order, Shop.payment().description, word).isDone)

            try await gateway.owner.execute(
                """
                UPDATE gateway.operations SET phase = 'unknown', sends = 1, sent_at = clock_timestamp(),
                    open_since = clock_timestamp(), next_step = 'query', next_at = clock_timestamp() + interval '1 hour'
                WHERE order_id = $1
                """, [order])
            let early = try await resolution.resolve(order, command.payment.description, word)
            #expect(!early.isDone && early.text.contains("not before"))
            try await gateway.owner.execute(
                """
                UPDATE gateway.operations SET signed_at = signed_at - interval '1 day', sent_at = sent_at - interval '1 day'
                WHERE order_id = $1
                """, [order])
            let query = ChargeQuery(policy: gateway.transactions.policy)
            let open = try await query.open(10, on: gateway.owner).found
            #expect(open.map(\.machine.charge.order) == [order, other])
            #expect(ChargeReport(machine: open[0].machine, now: .now).line.hasSuffix("may be resolved"))
            #expect(ChargeReport(machine: open[1].machine, now: .now).line.hasSuffix("ends by itself"))
            #expect(!ChargeReport(machine: open[0].machine, now: .now).lines.joined().contains(Shop.cardNumber))

            #expect(try await resolution.resolve(order, command.payment.description, word).isDone)
            #expect(try await gateway.story(of: order) == ["accepted", "resolved"])
            #expect(try await gateway.count("gateway.orders WHERE closed_reason = 'paid'") == 1)
            let again = try await resolution.resolve(order, command.payment.description, word)
            #expect(again.text == "not resolved: the charge has ended as succeeded")
            #expect(try await query.open(10, on: gateway.owner).found.count == 1)
        }
    }
}
