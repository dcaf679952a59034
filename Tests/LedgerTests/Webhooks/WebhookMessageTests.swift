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

    @Test("what follows a payment: each end once, and no step between")
    func followUps() throws {
        let amount = try Self.amount()
        let sale = Self.history.payment(amount: amount, .accepted, .succeeded)
        let hold = Self.history.payment(amount: amount, .accepted, .authorised)
        func facts(
            _ kind: FollowUpKind, by command: UInt8? = 1, target: OperationKind? = nil, _ events: FollowUpEvent...
        ) -> [Fact] {
            events.enumerated().map {
                Self.history.followUp(
                    kind, command, target: target, transition: Int64($0 + 1), amount: amount, $1)
            }
        }
        let late = Self.history.payment(amount: amount, .accepted, .declined, .lateSuccess)
        let lateHold = Self.history.payment(amount: amount, .accepted, .declined, .lateAuthorised)
        let cases: [([Fact], [WebhookEvent])] = [
            (hold, [.orderAuthorised]),
            (
                hold + [Self.history.fact(transition: 3, amount: amount, .authorisationExpired)],
                [.orderAuthorised, .orderAuthorisationExpired]
            ),
            (hold + facts(.capture, .accepted, .succeeded), [.orderAuthorised, .orderCaptured]),
            (hold + facts(.capture, .accepted, .unknown, .failed), [.orderAuthorised, .orderFollowUpFailed]),
            (hold + facts(.void, target: .authorisation, .accepted, .succeeded), [.orderAuthorised, .orderVoided]),
            (
                hold + facts(.void, target: .authorisation, .accepted, .failed),
                [.orderAuthorised, .orderFollowUpFailed]
            ),
            (sale + facts(.void, target: .sale, .accepted, .succeeded), [.orderPaid, .orderVoided]),
            // The refund that follows tells how it ended.
            (
                sale + facts(.void, target: .sale, .accepted, .failed) + facts(.refund, .accepted, .succeeded),
                [.orderPaid, .orderRefunded]
            ),
            (sale + facts(.refund, .accepted, .conflicted), [.orderPaid, .orderFollowUpFailed]),
            (
                sale + facts(.refund, .accepted, .conflicted, .resolvedDone),
                [.orderPaid, .orderFollowUpFailed, .orderRefunded]
            ),
            (late + facts(.refund, by: nil, .accepted, .succeeded), [.orderDeclined, .orderReview, .orderRefunded]),
            // No shop has heard of a hold that came too late.
            (lateHold + facts(.void, by: nil, target: .authorisation, .accepted, .succeeded), [.orderDeclined]),
        ]
        for (facts, expected) in cases {
            let messages = Self.messages([try Self.opened()] + facts)
            #expect(messages.map(\.event) == expected, "\(facts.map(\.type))")
        }
    }

    @Test("a refund with what is left, and a command that the gateway rejected with its reason")
    func amounts() throws {
        let amount = try Self.amount()
        let part = Money(minorUnits: 900, currency: .cny)
        let rejected = CommandRejected(
            order: Shop.order, merchant: Self.history.merchant,
            command: CommandID(hash: [UInt8](repeating: 3, count: 32)),
            commandType: CommandType.refund.rawValue, reason: .amountAboveRefundable)
        let messages = Self.messages(
            [try Self.opened()] + Self.history.payment(amount: amount, .accepted, .succeeded)
                + Self.history.followUps(.refund, amount: part, .accepted, .succeeded)
                + [.commandRejected(rejected), Self.history.commandRejected(4)])
        #expect(messages.map(\.event) == [.orderPaid, .orderRefunded, .orderFollowUpFailed])
        let refund = try JSONValue(parsing: messages[1].json(reference: nil))["data"]
        #expect(
            refund?["amounts"]?["refundable"] == .integer(10_000) && refund?["amounts"]?["refunded"] == .integer(900))
        #expect(refund?["followUp"]?["amount"]?["minorUnits"] == .integer(900))
        let refused = try JSONValue(parsing: messages[2].json(reference: nil))["data"]?["followUp"]
        #expect(refused?["status"]?.string == "rejected" && refused?["reason"]?.string == "amountAboveRefundable")
        #expect(refused?["commandId"]?.string == rejected.command.description)
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
