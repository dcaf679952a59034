import Contracts
import Ledger
import LedgerFixtures
import OrchardJSON
import Testing

@testable import OrderLedger

@Suite("What a device is told of its payment")
struct PaymentAnswerTests {
    private func answer(_ events: [PaymentEvent]) throws -> PaymentAnswer {
        let totals = try Shop.totals()
        let facts = events.enumerated().map { History().fact(transition: Int64($0 + 1), amount: totals.amount, $1) }
        let (book, _) = PartitionBook.reading([History().offer(1, totals)] + facts)
        return PaymentAnswer(
            order: Shop.order, payment: Shop.paymentID(1),
            state: book.fold.orders[Shop.order]?[Shop.paymentID(1)])
    }

    @Test(
        "Status, whether it is final, and what completes the sheet",
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
            ([.accepted, .declined, .lateSuccess], "declined", true, "STATUS_FAILURE"),
            ([.refused], "refused", true, "STATUS_FAILURE"),
        ] as [([PaymentEvent], String, Bool, String)])
    func table(_ events: [PaymentEvent], _ status: String, _ isFinal: Bool, _ apple: String) throws {
        let answer = try answer(events)
        #expect(answer.status == status)
        #expect(answer.isFinal == isFinal)
        #expect(answer.applePayStatus == apple)
        #expect((answer.message == nil) == (status == "paid"))
    }

    @Test("Nobody whose money moved is told that it did not")
    func lateSuccess() throws {
        #expect(try answer([.accepted, .declined]).message?.contains("not charged") == true)
        #expect(
            try answer([.accepted, .declined, .lateSuccess]).message
                == "The payment was declined. What was taken will be returned.")
    }

    @Test("An open outcome is success to the sheet, in words that promise no more")
    func confirming() throws {
        let json = JSONWriter.object { try? answer([.accepted, .unknown]).write(to: &$0) }
        let value = try JSONValue(parsing: json)
        #expect(value["applePay"]?["status"]?.string == "STATUS_SUCCESS")
        #expect(value["message"]?.string == "We are confirming your payment.")
        #expect(value["final"]?.bool == false)
    }
}
