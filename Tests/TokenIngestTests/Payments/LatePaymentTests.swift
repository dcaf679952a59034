import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("A payment that cannot be decided now")
struct LatePaymentTests {
    @Test("an old token is 409 with the payment id, and nothing is published", arguments: [301, 86_000] as [Int64])
    func oldToken(_ age: Int64) async throws {
        let shop = try Shop()
        let token = try shop.mint(order: Shop.order())
        shop.wait(.seconds(age))
        let answer = try await shop.pay(token.json, ticket: try shop.ticket(order: Shop.order()))
        expectLate(answer, token, shop)
    }

    @Test("an expired ticket is 409 with the payment id, and nothing is published")
    func expiredTicket() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        shop.wait(.seconds(600))
        let token = try shop.mint(order: Shop.order())
        expectLate(try await shop.pay(token.json, ticket: ticket), token, shop)
    }

    @Test("a forged old token is rejected")
    func forgedOldToken() async throws {
        let shop = try Shop()
        let token = try shop.mint(order: Shop.order(), fault: .forgedSignature)
        shop.wait(.seconds(400))
        let answer = try await shop.pay(token.json, ticket: try shop.ticket(order: Shop.order()))
        #expect(answer.status == 422)
        #expect(answer["stage"] == "signature")
    }

    @Test("without an acknowledgement the answer is 503 and unknown, never failed")
    func unacknowledged() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let token = try shop.mint(order: Shop.order())
        shop.sink.fail(with: .init(.deliveryTimedOut, "no answer"))
        let answer = try await shop.pay(token.json, ticket: ticket)
        #expect(answer.status == 503)
        #expect(answer["outcome"] == "unknown")
        #expect(
            answer["paymentId"]
                == PaymentID(merchant: shop.merchants[0], transactionID: token.transactionID).description)
        #expect(answer.json?["applePay"] == nil)

        shop.sink.fail(with: nil)
        #expect(try await shop.pay(token.json, ticket: ticket).status == 202)
    }

    @Test("without an active sealing key nothing is accepted, and the answer says so")
    func unsealable() async throws {
        let shop = try Shop()
        shop.wait(.seconds(86_401))
        try Shop.write(Array(#"{"keys":[]}"#.utf8), to: shop.folder.appending(path: "sealing.json"))
        #expect(shop.endpoint.sealingKeys.reload() == nil)
        let answer = try await shop.pay(
            try shop.mint(order: Shop.order()).json, ticket: try shop.ticket(order: Shop.order()))
        #expect(answer.status == 503)
        #expect(answer["outcome"] == "notTaken")
        #expect(shop.sink.messages.isEmpty)
    }

    @Test("payments beyond the limit are asked to come again")
    func busy() async throws {
        let shop = try Shop(maximumPayments: 1)
        let answer = try await shop.endpoint.admission.admit {
            try await shop.pay(
                try shop.mint(order: Shop.order()).json, ticket: try shop.ticket(order: Shop.order()))
        }
        #expect(answer?.status == 503)
        #expect(answer?["code"] == "busy")
        #expect(
            try await shop.pay(
                try shop.mint(order: Shop.order()).json, ticket: try shop.ticket(order: Shop.order())
            ).status == 202)
    }

    private func expectLate(_ answer: Answer, _ token: MintedToken, _ shop: Shop) {
        #expect(answer.status == 409, "\(answer)")
        #expect(
            answer["paymentId"]
                == PaymentID(merchant: shop.merchants[0], transactionID: token.transactionID).description)
        #expect(shop.sink.messages.isEmpty)
    }
}
