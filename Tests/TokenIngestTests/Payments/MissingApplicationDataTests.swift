import Contracts
import KafkaBridge
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("A token without applicationData")
struct MissingApplicationDataTests {
    private func commands(_ shop: Shop) throws -> [ChargeRequested] {
        try shop.sink.messages.map { message in
            let event = try CloudEvent(headers: message.headers.map { ($0.name, $0.value) }, value: message.value)
            return try ChargeRequested(parsing: event.data)
        }
    }

    @Test("pays the ticket's order where the ticket allows it, and else nothing", arguments: [true, false])
    func absent(isAllowed: Bool) async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), allowsMissingApplicationData: isAllowed)
        let answer = try await shop.pay(shop.mint(order: nil).json, ticket: ticket)
        #expect(answer.status == (isAllowed ? 202 : 422), "\(answer)")
        if !isAllowed { #expect(answer["reason"] == "applicationDataMissing") }
    }

    @Test("is not a token with another order's, which is refused whatever the ticket allows")
    func wrong() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), allowsMissingApplicationData: true)
        let answer = try await shop.pay(shop.mint(order: Shop.order(9)).json, ticket: ticket)
        #expect(answer.status == 422 && answer["reason"] == "applicationDataDiffers", "\(answer)")
        #expect(try await shop.pay(shop.mint(order: Shop.order()).json, ticket: ticket).status == 202)
    }

    @Test("is one payment, whichever orders it is sent for: its id names no order")
    func twoOrders() async throws {
        let shop = try Shop()
        let token = try shop.mint(order: nil)
        for number in [UInt8(1), 2] {
            let ticket = try shop.ticket(order: Shop.order(number), allowsMissingApplicationData: true)
            #expect(try await shop.pay(token.json, ticket: ticket).status == 202)
        }
        let commands = try commands(shop)
        #expect(commands.map(\.order) == [Shop.order(1), Shop.order(2)])
        #expect(Set(commands.map(\.payment)).count == 1)
    }
}
