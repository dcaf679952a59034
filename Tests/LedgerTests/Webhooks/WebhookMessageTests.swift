import Contracts
import LedgerFixtures
import OrchardJSON
import Testing

@testable import Ledger

@Suite("What a shop is told")
struct WebhookMessageTests {
    private static let history = History()

    /// The messages of records that are folded one after the other.
    private static func messages(_ facts: [Fact]) -> [WebhookMessage] {
        var book = PartitionBook(partition: Shop.partition)
        return facts.records().flatMap { record -> [WebhookMessage] in
            let read = ReadRecord(record)
            guard let event = read.fact else { return [] }
            let parked = book.fold.orders[event.fact.order]?.parked ?? []
            guard let row = book.append(read), let order = book.fold.orders[event.fact.order] else { return [] }
            return WebhookMessage.messages(of: row, event, parked: parked, order: order)
        }
    }

    private static func opened() throws -> Fact { history.offer(1, try Shop.totals()) }

    private static func amount() throws -> Money { try Shop.totals().amount }

    @Test("each end of a payment and of an order, once, under the id of its fact")
    func kinds() throws {
        let amount = try Self.amount()
        let cases: [([PaymentEvent], [WebhookEvent], String?)] = [
            ([.accepted], [], nil),
            ([.accepted, .unknown], [], nil),
            ([.refused], [], nil),
            ([.accepted, .succeeded], [.orderPaid], nil),
            ([.accepted, .declined], [.orderDeclined], "insufficientFunds"),
            ([.accepted, .unknown, .notCharged], [.orderDeclined], "notCharged"),
            ([.accepted, .conflicted, .resolvedNotCharged], [.orderDeclined], "notCharged"),
            ([.accepted, .conflicted, .resolvedPaid], [.orderPaid], nil),
            ([.accepted, .declined, .lateSuccess], [.orderDeclined, .orderReview], "lateSuccess"),
        ]
        for (events, expected, reason) in cases {
            let facts = events.enumerated().map {
                Self.history.fact(transition: Int64($0 + 1), amount: amount, $1)
            }
            let messages = Self.messages([try Self.opened()] + facts)
            #expect(messages.map(\.event) == expected, "\(events)")
            #expect(Set(messages.map(\.id)).isSubset(of: facts.map(\.id)))
            #expect(messages.last?.payment?.reason == reason, "\(events)")
        }
    }

    @Test("money that pays no order is for a person to look at")
    func review() throws {
        let amount = try Self.amount()
        let less = Money(minorUnits: amount.minorUnits - 1, currency: amount.currency)
        let wrong = Self.messages([try Self.opened()] + Self.history.payment(amount: less, .accepted, .succeeded))
        #expect(wrong.map(\.event) == [.orderReview])
        #expect(wrong.first?.payment?.reason == "unallocatedSuccess" && wrong.first?.status == .review)
        let second = Self.history.payment(Shop.paymentID(2), amount: amount, .accepted, .succeeded)
        let surplus = Self.messages(
            [try Self.opened()] + Self.history.payment(amount: amount, .accepted, .succeeded) + second)
        #expect(surplus.map(\.event) == [.orderPaid, .orderReview])
        #expect(surplus.last?.payment?.reason == "surplusSuccess" && surplus.last?.status == .paid)
        #expect(surplus.last?.payment?.status == "review")
    }

    @Test("the end of an unpaid order", arguments: [OrderClosed.Reason.cancelled, .expired])
    func closed(_ reason: OrderClosed.Reason) throws {
        let messages = Self.messages([try Self.opened(), Self.history.closed(reason)])
        #expect(messages.map(\.event) == [.orderClosed])
        #expect(messages.first?.status.rawValue == reason.rawValue)
        #expect(messages.first?.payment == nil)
    }

    @Test("facts that waited for another producer's are told when it has come; a repeated or refused one is not told")
    func parked() throws {
        let amount = try Self.amount()
        let payment = Self.history.payment(amount: amount, .accepted, .declined)
        let second = Self.history.payment(Shop.paymentID(2), amount: amount, .accepted, .succeeded)
        let early = Self.messages(payment + second + [try Self.opened()])
        #expect(Set(early.map(\.event)) == [.orderDeclined, .orderPaid])
        #expect(Set(early.map(\.id)) == [payment[1].id, second[1].id])
        let again = Self.messages([try Self.opened()] + second + second + [Self.history.closed(.cancelled)])
        #expect(again.map(\.event) == [.orderPaid])
    }

    @Test("in JSON with the members that the page lists, and no personal data")
    func json() throws {
        let amount = try Self.amount()
        let messages = Self.messages(
            [try Self.opened()] + Self.history.payment(amount: amount, .accepted, .declined)
                + [Self.history.closed(.expired)])
        let declined = try #require(messages.first).json(reference: "A-1")
        #expect(
            String(decoding: declined, as: UTF8.self)
                == #"{"data":{"amount":{"currency":"CNY","minorUnits":10900},"#
                + #""merchantId":"\#(Self.history.merchant)","orderId":"\#(Shop.order)","#
                + #""payment":{"amount":{"currency":"CNY","minorUnits":10900},"#
                + #""card":{"lastFour":"0005","network":"chinaUnionPay"},"paymentId":"\#(Shop.paymentID(1))","#
                + #""reason":"insufficientFunds","status":"declined"},"reference":"A-1","status":"open"},"#
                + #""timestamp":"2023-11-14T22:15:00Z","type":"order.declined"}"#)
        let closed = try JSONValue(parsing: try #require(messages.last).json(reference: nil))
        #expect(closed["type"]?.string == "order.closed" && closed["data"]?["status"]?.string == "expired")
        #expect(closed["data"]?["reference"] == nil && closed["data"]?["payment"] == nil)
    }
}
