import Contracts
import Ledger
import LedgerFixtures
import OrchardJSON
import Testing

@testable import OrderLedger

@Suite("The payment answer for a device")
struct PaymentAnswerTests {
    private func answer(
        _ events: [PaymentEvent], amount: Money? = nil, after before: [Fact] = []
    ) throws -> PaymentAnswer {
        let totals = try Shop.totals()
        let facts = events.enumerated().map {
            History().fact(transition: Int64($0 + 1), amount: amount ?? totals.amount, $1)
        }
        let (book, _) = PartitionBook.reading([History().offer(1, totals)] + before + facts)
        let order = try #require(book.fold.orders[Shop.order])
        return PaymentAnswer(
            order: Shop.order, payment: Shop.paymentID(1), state: order[Shop.paymentID(1)], paidBy: order.paidBy)
    }

    @Test(
        "The answer has the status, whether it is final, and the constant that completes the sheet",
        arguments: [
            ([], "processing", false, "STATUS_SUCCESS"),
            ([.accepted], "processing", false, "STATUS_SUCCESS"),
            ([.accepted, .unknown], "confirming", false, "STATUS_SUCCESS"),
            ([.accepted, .conflicted], "confirming", false, "STATUS_SUCCESS"),
            ([.accepted, .succeeded], "paid", true, "STATUS_SUCCESS"),
            ([.accepted, .declined], "declined", true, "STATUS_FAILURE"),
            ([.accepted, .declined(.incorrectPIN, nil)], "declined", true, "STATUS_PIN_INCORRECT"),
            ([.accepted, .declined(.pinTriesExceeded, nil)], "declined", true, "STATUS_PIN_LOCKOUT"),
            ([.accepted, .unknown, .notCharged], "declined", true, "STATUS_FAILURE"),
            ([.accepted, .declined, .lateSuccess], "confirming", false, "STATUS_SUCCESS"),
            ([.refused], "refused", true, "STATUS_FAILURE"),
        ] as [([PaymentEvent], String, Bool, String)])
    func table(_ events: [PaymentEvent], _ status: String, _ isFinal: Bool, _ apple: String) throws {
        let answer = try answer(events)
        #expect(answer.status == status)
        #expect(answer.isFinal == isFinal)
        #expect(answer.applePayStatus.rawValue == apple)
        #expect((answer.message == nil) == (status == "paid"))
    }

    @Test("No customer whose money moved is told that it did not")
    func lateSuccess() throws {
        #expect(try answer([.accepted, .declined]).message?.contains("not charged") == true)
        #expect(try answer([.accepted, .declined, .lateSuccess]).message == "We are confirming your payment.")
    }

    @Test("Money that the order does not account for is being confirmed, neither paid nor declined")
    func review() throws {
        let amount = try Shop.totals().amount
        let first = History().payment(Shop.paymentID(2), amount: amount, .accepted, .succeeded)
        let answers = [
            try answer([.accepted, .succeeded], amount: Money(minorUnits: 1, currency: .cny)),
            try answer([.accepted, .succeeded], after: first),
            try answer([.accepted, .succeeded], after: [History().closed(.cancelled)]),
            try answer([.refused, .lateSuccess], after: first),
        ]
        for answer in answers {
            #expect(answer.status == "confirming")
            #expect(answer.applePayStatus == .success)
            #expect(!answer.isFinal)
            #expect(answer.message == "We are confirming your payment.")
        }
    }

    @Test("An open outcome completes the sheet with success, and the message promises nothing more")
    func confirming() throws {
        let json = JSONWriter.object { try? answer([.accepted, .unknown]).write(to: &$0) }
        let value = try JSONValue(parsing: json)
        #expect(value["applePay"]?["status"]?.string == "STATUS_SUCCESS")
        #expect(value["message"]?.string == "We are confirming your payment.")
        #expect(value["final"]?.bool == false)
    }

    @Test("A hold is final and completes the sheet with success; one that has ended says so")
    func authorised() throws {
        let held = try answer([.accepted, .authorised])
        #expect(held.status == "authorised" && held.isFinal && held.applePayStatus == .success && held.message == nil)
        let expired = try answer([.accepted, .authorised, .authorisationExpired])
        #expect(expired.status == "expired" && expired.isFinal)
        #expect(expired.message == "The hold on your card has ended. You were not charged.")
    }
}
