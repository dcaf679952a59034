import Contracts
import OrchardCrypto
import Testing

@testable import SandboxDemo

@Suite("What the shops were told of the day")
struct WebhookCheckTests {
    /// A day of which the shops were told everything, some of it twice.
    private static func day() -> WebhookCheck {
        var orders: [OrderID: OrderEnd.State] = [:]
        var results: [OrderPlay.Result] = []
        for script in DemoScript(seed: 3, size: 220).orders {
            func bytes(_ count: Int, _ number: Int) -> [UInt8] {
                (0..<count).map { UInt8(truncatingIfNeeded: script.number >> ($0 % 2 * 8)) ^ UInt8(number) }
            }
            let order = OrderID(time: Timestamp(seconds: 1_800_000_000), randomness: bytes(10, 0))
            let end = script.allowedEnds[0]
            orders[order] = end.state
            results.append(
                OrderPlay.Result(
                    played: PlayedOrder(
                        script: script, order: order,
                        payments: end.payments.indices.map { PaymentID(hash: bytes(16, $0 + 1)) }),
                    published: end.payments, latency: .zero, secrets: []))
        }
        let check = WebhookCheck(results: results, orders: orders, messages: [])
        let messages = check.expected.sorted { ($0.type, $0.order) < ($1.type, $1.order) }.enumerated().map {
            ShopInbox.Message(
                id: "\($0)", merchant: $1.merchant, type: $1.type, order: $1.order, payment: $1.payment,
                minorUnits: $1.minorUnits ?? 1, reason: $1.reason)
        }
        return WebhookCheck(results: results, orders: orders, messages: messages + messages.prefix(3))
    }

    private static func texts(_ change: (inout [ShopInbox.Message]) throws -> Void) rethrows -> [String] {
        let day = day()
        var messages = day.messages
        try change(&messages)
        return WebhookCheck(results: day.results, orders: day.orders, messages: messages).findings.map(\.text)
    }

    private static func changed(_ message: ShopInbox.Message, id: String? = nil, minorUnits: Int64? = nil)
        -> ShopInbox.Message
    {
        ShopInbox.Message(
            id: id ?? message.id, merchant: message.merchant, type: message.type, order: message.order,
            payment: message.payment, minorUnits: minorUnits ?? message.minorUnits, reason: message.reason)
    }

    @Test("finds nothing when each was told, once or more")
    func right() {
        let day = Self.day()
        #expect(day.findings == [])
        #expect(
            Set(day.messages.map(\.type)) == [
                "order.paid", "order.declined", "order.closed", "order.authorised", "order.captured",
                "order.voided", "order.refunded", "order.review",
            ])
        let closed = day.orders.filter { $0.value == .cancelled || $0.value == .expired }
        #expect(Set(day.expected.filter { $0.type == "order.closed" }.map(\.order)) == Set(closed.keys))
        #expect(Set(closed.values) == [.cancelled, .expired])
    }

    @Test("finds a message that is missing, one too many, a wrong amount, and a second id")
    func wrong() throws {
        let paid = try #require(Self.day().messages.first { $0.type == "order.paid" })
        #expect(Self.texts { $0.removeAll { $0 == paid } } == ["the shop was not told order.paid"])
        #expect(
            Set(Self.texts { $0 = $0.map { $0 == paid ? Self.changed($0, minorUnits: 1) : $0 } })
                == ["the shop was not told order.paid", "the shop was told order.paid, which did not happen"])
        #expect(
            Self.texts { $0.append(Self.changed(paid, id: "another")) } == ["order.paid was told under several ids"])
        let day = Self.day()
        let open = try #require(day.orders.first { $0.value == .open }?.key)
        let stranger = ShopInbox.Message(
            id: "x", merchant: 0, type: "order.paid", order: open, payment: paid.payment, minorUnits: 1, reason: nil)
        #expect(Self.texts { $0.append(stranger) } == ["the shop was told order.paid, which did not happen"])
    }

    @Test("finds requests that were not signed, and an order that was told paid before declined")
    func refused() throws {
        var day = Self.day()
        day.refusals = ["a wrong signature": 2]
        #expect(day.findings.map(\.text) == ["2 requests had a wrong signature"])
        // Sorted by type, declined comes first.
        #expect(
            Self.texts { $0 = Array(Set($0)).sorted { $0.type > $1.type } }.contains("it was told paid before declined")
        )
    }

    @Test("The shop's own HMAC is RFC 4231's", arguments: [(4, "Jefe"), (20, "")])
    func code(_ count: Int, _ text: String) {
        let key = text.isEmpty ? [UInt8](repeating: 0x0B, count: count) : Array(text.utf8)
        let message = Array((text.isEmpty ? "Hi There" : "what do ya want for nothing?").utf8)
        #expect(
            Hex.encode(ShopInbox.authenticate(message, with: key))
                == (text.isEmpty
                    ? "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
                    : "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    }
}
