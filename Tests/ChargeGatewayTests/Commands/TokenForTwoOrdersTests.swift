import Charging
import Contracts
import KeyFiles
import Testing

@testable import ChargeGateway

@Suite("Commands with a token that names no order")
struct TokenForTwoOrdersTests {
    /// A command whose ticket allows a token without `applicationData`.
    private func charge(
        _ order: OrderID, _ payment: PaymentID, _ gateway: TestGateway, signedAt time: Timestamp
    ) throws -> ChargeRequested {
        let ticket = try gateway.shop.ticket(order, allowsMissingApplicationData: true)
        return try gateway.shop.charge(order, payment: payment, ticket: ticket, signedAt: time)
    }

    @Test("charge one order; the second is refused where one database has both")
    func oneDatabase() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let (first, second, payment) = (Shop.order(), Shop.order(in: 1), Shop.payment())
            let command = try charge(first, payment, gateway, signedAt: .now)
            try await gateway.take([.charge(command)])
            try await gateway.take(
                [.charge(try charge(second, payment, gateway, signedAt: command.signedAt))], in: 1)
            try await gateway.wait(for: "succeeded", of: first)
            #expect(try await gateway.story(of: second) == ["refused: tokenReused"])
            #expect(try await gateway.column("is_order_signed", of: first) == "false")
            #expect(acquirer.received.count == 1)
        }
    }

    @Test("charge one order also from two databases that know nothing of each other; a person looks at the second")
    func twoDatabases() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { one in
            try await TestGateway.with([acquirer]) { other in
                let (first, second, payment) = (Shop.order(), Shop.order(), Shop.payment())
                let command = try charge(first, payment, one, signedAt: .now)
                try await one.take([.charge(command)])
                try await one.wait(for: "succeeded", of: first)
                try await other.take([.charge(try charge(second, payment, other, signedAt: command.signedAt))])
                try await other.wait(for: "conflicted", of: second)
                #expect(acquirer.book.map(\.value.order) == [first])
            }
        }
    }

    @Test("of several merchants' shares are sent to no connector that charges one merchant")
    func shares() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            let share = "\0\u{3}fee\0\u{3}100\0\u{4}AAA="
            let command = try gateway.shop.charge(order, cardFields: [.authenticationResponses: share])
            try await gateway.take([.charge(command)])
            try await gateway.wait(for: "declined: unsendable", of: order)
            #expect(acquirer.received.isEmpty)
        }
    }
}
