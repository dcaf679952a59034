import Contracts
import KafkaBridge
import OrchardCrypto
import OrchardServiceKit
import SandboxWallet
import TestSupport
import Testing

@testable import TokenIngest

@Suite("A payment that is repeated", .timeLimit(.minutes(4)))
struct RepeatedPaymentTests {
    @Test("as the same body gets the same answer, and is published once")
    func sameBody() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let token = try shop.mint(order: Shop.order())
        let first = try await shop.pay(token.json, ticket: ticket)
        #expect(first.status == 202)
        for _ in 1...10 {
            shop.wait(.seconds(20))
            #expect(try await shop.pay(token.json, ticket: ticket).text == first.text)
        }
        #expect(shop.sink.messages.count == 1)
        #expect(shop.metrics.expose().contains("token_ingest_payments_total{outcome=\"repeated\"} 10"))
    }

    @Test("as another body of the same payment is verified, and not published again")
    func otherBodies() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let token = try shop.mint(order: Shop.order())
        let first = try await shop.pay(token.json, ticket: ticket)
        for blank in ["\n", " ", "  "] {
            #expect(try await shop.pay(Array(blank.utf8) + token.json, ticket: ticket).text == first.text)
        }
        #expect(shop.sink.messages.count == 1)
        #expect(
            try await shop.pay(try shop.mint(order: Shop.order()) { $0.amount = 1 }.json, ticket: ticket).status == 422)
    }

    @Test("with other tickets of its order is published a few times")
    func otherTickets() async throws {
        let shop = try Shop()
        let token = try shop.mint(order: Shop.order())
        for _ in 0..<RecentPayments.ticketsPerPayment + 3 {
            #expect(try await shop.pay(token.json, ticket: shop.ticket(order: Shop.order())).status == 202)
            shop.wait(.seconds(1))
        }
        #expect(shop.sink.messages.count == RecentPayments.ticketsPerPayment)
    }

    @Test("is published again until it is acknowledged")
    func unacknowledged() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let token = try shop.mint(order: Shop.order())
        shop.sink.fail(with: .init(.deliveryTimedOut, "no answer"))
        for _ in 1...3 { #expect(try await shop.pay(token.json, ticket: ticket)["outcome"] == "unknown") }
        shop.sink.fail(with: nil)
        for _ in 1...3 { #expect(try await shop.pay(token.json, ticket: ticket).status == 202) }
        #expect(shop.sink.messages.count == 1)
    }

    @Test("after its time is answered as late, whether it is remembered or not")
    func late() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let token = try shop.mint(order: Shop.order())
        #expect(try await shop.pay(token.json, ticket: ticket).status == 202)
        shop.wait(.seconds(301))
        #expect(try await shop.pay(token.json, ticket: ticket).status == 409)
    }

    @Test("uses only a few slots while it waits for Kafka, and leaves the others to other payments")
    func waiting() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order())
        let token = try shop.mint(order: Shop.order())
        let gate = Gate()
        shop.sink.wait(for: gate)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<RecentPayments.publishingPerPayment + 1 {
                group.addTask { try await shop.pay(token.json, ticket: ticket).status }
            }
            var statuses = [try #require(try await group.next())]
            gate.open()
            for try await status in group { statuses.append(status) }
            return statuses
        }
        #expect(statuses == [503] + Array(repeating: 202, count: RecentPayments.publishingPerPayment))
    }

    @Test("comes too often from one order: 429, and nothing is published; another order pays")
    func tooOften() async throws {
        let shop = try Shop(ticketLimit: 1)
        let ticket = try shop.ticket(order: Shop.order())
        for _ in 1...20 { _ = try await shop.send(Array("{}".utf8), ticket: ticket) }
        let answer = try await shop.pay(try shop.mint(order: Shop.order()).json, ticket: ticket)
        #expect(answer.status == 429 && answer["code"] == "rate-limited")
        #expect(shop.sink.messages.isEmpty)
        let other = Shop.order(2)
        let token = try shop.mint(order: other)
        #expect(try await shop.pay(token.json, ticket: shop.ticket(order: other)).status == 202)
    }

    @Test("is remembered in bounded memory: the oldest half is forgotten")
    func memory() async throws {
        let recent = RecentPayments(capacity: 2)
        let payments = (1...5).map { PaymentID(hash: SHA256.hash([UInt8($0)])) }
        let attempts = (1...5).map {
            RecentPayments.Attempt(AttemptID(order: Shop.order(), body: [UInt8($0)]), ticket: "t")
        }
        let time = Timestamp(seconds: 0)
        for (payment, attempt) in zip(payments, attempts) {
            #expect(await recent.publishing(payment, attempt, until: time + .seconds(1)) {})
        }
        #expect(attempts.map { recent.payment(of: $0, at: time) } == [nil, nil] + payments[2...].map { $0 })
        #expect(payments.map { recent.isKnown($0, ticket: attempts[0].ticket) } == [false, false, true, true, true])
    }
}
