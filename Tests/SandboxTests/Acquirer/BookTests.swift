import OrchardJSON
import Testing

@testable import SandboxAcquirer

@Suite("Book")
struct BookTests {
    private let merchant: Merchant
    private var book = Book(maximumQueries: 8)

    init() throws { merchant = try Merchant(now: BeijingTime(seconds: 1_795_244_602)) }

    private func sale(
        _ orderID: String = "order0001", amount: Int64 = 10_000, card: String = "6259020040003629", time: String? = nil
    ) -> TransactionRequest {
        TransactionRequest(
            merchant.sale(orderID, amount: amount, time.map { ["txnTime": $0] } ?? [:]), .sale, card: card)
    }

    /// What the next query returns: origRespCode, or the code that it is refused with.
    private mutating func shown(_ orderID: String = "order0001", at seconds: Int64 = 0) -> String {
        let now = BeijingTime(seconds: merchant.now.seconds + seconds)
        do throws(Refusal) {
            let result = try book.query(merchant.query(merchant.sale(orderID)), at: now)
            return result.style == .right ? result.shown.text : result.style.rawValue
        } catch {
            return "refused \(error.code.text)"
        }
    }

    /// Submits a sale and finishes it.
    private mutating func settle(_ sale: TransactionRequest) throws -> Transaction {
        let queryID = try #require(submit(sale).queryID)
        book.finish(queryID)
        return try #require(book[queryID])
    }

    private mutating func submit(_ sale: TransactionRequest) throws -> Book.Submission {
        try book.submit(sale, at: merchant.now)
    }

    @Test("A sale is pending, then paid, and the book has the amount")
    mutating func paid() throws {
        let submission = try submit(sale())
        #expect(submission.code == .success)
        #expect(submission.then == .finishLater)
        let queryID = try #require(submission.queryID)
        #expect(queryID == "782611211503220000018")
        let before = shown()
        #expect(before == "05")
        book.finish(queryID)
        #expect(book[queryID]?.state == .success)
        let after = shown()
        #expect(after == "00")
        #expect(BookSummary(book.transactions).chargedFen == 10_000)
    }

    @Test("The same key again is a duplicate and is counted; another time is a second sale")
    mutating func keys() throws {
        let first = try settle(sale())
        var refusal: Refusal?
        do throws(Refusal) { _ = try book.submit(sale(), at: merchant.now) } catch { refusal = error }
        #expect(refusal == Refusal(.duplicate))
        #expect(book[first.queryID]?.repeats == 1)
        _ = try settle(sale(time: "20261121150400"))
        let summary = BookSummary(book.transactions)
        #expect(summary.doubleCharges == ["orderId": ["order0001": 2], "reqReserved": ["pay-order0001": 2]])
        #expect(summary.chargedFen == 20_000)
    }

    @Test(
        "Results by the amount's last three digits",
        arguments: [
            (10_863, "63", "failed", "63"), (10_864, "64", "failed", "64"), (10_865, "65", "failed", "65"),
            (10_964, "00", "failed", "64"), (10_906, "00", "success", "A6"), (10_942, "00", "success", "42"),
            (10_899, "99", "success", "00"), (10_812, "12", "success", "00"), (10_700, "00", "success", "00"),
            (10_723, "00", "failed", "64"),
        ] as [(Int64, String, String, String)])
    mutating func results(_ amount: Int64, _ answer: String, _ state: String, _ result: String) throws {
        let submission = try submit(sale(amount: amount))
        let queryID = try #require(submission.queryID)
        #expect(submission.code.text == answer)
        book.finish(queryID)
        #expect(book[queryID]?.state.rawValue == state)
        #expect(book[queryID]?.result?.text == result)
        #expect(BookSummary(book.transactions).chargedFen == (state == "success" ? amount : 0))
    }

    @Test("A lost request leaves no trace, and is accepted when repeated", arguments: [701, 712, 713, 802, 806, 898])
    mutating func lost(_ amount: Int64) throws {
        let first = try submit(sale(amount: amount))
        #expect(first.queryID == nil)
        #expect(book.transactions.isEmpty)
        let query = shown()
        #expect(query == "refused 34")
        let again = try submit(sale(amount: amount))
        #expect(again.queryID != nil)
        #expect(again.code == .success)
    }

    @Test("A refusal for the merchant's state stays a refusal", arguments: [810, 811, 831, 832, 839, 840])
    mutating func refused(_ amount: Int64) throws {
        for _ in 0..<2 {
            let submission = try submit(sale(amount: amount))
            #expect(submission.queryID == nil)
        }
    }

    @Test(
        "The results of successive queries",
        arguments: [
            (904, ["05", "05", "04", "00"]), (903, ["03", "03", "03", "00"]), (803, ["03", "00"]),
            (741, ["05", "05", "05"]), (744, ["refused 37", "refused 37", "refused 37", "00"]),
            (742, ["refused 34", "refused 34", "refused 34", "refused 34", "refused 34", "00"]),
            (745, ["html", "drop", "badSignature", "empty", "00"]), (743, ["64"]), (740, ["00"]),
        ] as [(Int64, [String])])
    mutating func queries(_ amount: Int64, _ expected: [String]) throws {
        _ = try settle(sale(amount: amount))
        var seen: [String] = []
        for _ in expected { seen.append(shown()) }
        #expect(seen == expected)
    }

    @Test("More queries than allowed in a minute are refused, and allowed again later")
    mutating func tooManyQueries() throws {
        _ = try submit(sale())
        let seen = [0, 0, 0, 0, 0, 0, 0, 0, 59, 120].map { second in shown(at: second) }
        #expect(seen == Array(repeating: "05", count: 8) + ["refused 37", "05"])
    }

    @Test("A card of another network is refused, and booked as failed", arguments: ["4111111111111111", "62590200"])
    mutating func unknownCard(_ card: String) throws {
        let submission = try submit(sale(card: card))
        #expect(submission.code == .invalidCard)
        #expect(book.transactions.first?.state == .failed)
    }

    @Test("An armed fault applies to the next matching sale, whatever its amount")
    mutating func armed() throws {
        let fault = try #require(FaultTable.fault(named: "declined_64"))
        book.arm(ArmedFault(fault: fault, match: TransactionMatch(orderIDPrefix: "chosen"), count: 1))
        book.arm(ArmedFault(fault: fault, match: TransactionMatch(amount: 7), count: 1))
        let sales = [sale("another1"), sale("chosen01"), sale("chosen02"), sale("another2", amount: 7)]
        let codes = try sales.map { try submit($0).code.text }
        #expect(codes == ["00", "64", "00", "64"])
    }

    @Test("The first notification comes before the answer")
    mutating func notifyFirst() throws {
        let submission = try submit(sale(amount: 725))
        #expect(submission.then == .notifyFirst)
        #expect(book.transactions.first?.state == .success)
    }

    @Test("Rows are found by values that a test knows")
    mutating func rows() throws {
        _ = try submit(sale("order0001"))
        _ = try submit(sale("order0002", card: "6200000000000000009"))
        let found = book.transactions.filter { $0.matches(["card": "6200000000000000009", "state": "pending"]) }
        #expect(found.map(\.request.key.orderID) == ["order0002"])
        #expect(found.first?.row["amount"] == .integer(10_000))
        #expect(book.transactions.filter { $0.matches(["nothing": "1"]) }.isEmpty)
    }

    @Test("with plain amounts an amount chooses nothing, and what is armed still happens")
    func plainAmounts() throws {
        // 864: insufficient funds.
        var (scripted, plain) = (Book(), Book(hasPlainAmounts: true))
        #expect(try scripted.submit(sale(amount: 1_864), at: merchant.now).fault == "declined_64")
        #expect(try plain.submit(sale(amount: 1_864), at: merchant.now).fault == "normal")

        let fault = try #require(FaultTable.fault(named: "declined_64"))
        plain.arm(ArmedFault(fault: fault, match: TransactionMatch(card: "6228480001234001780"), count: 2))
        for order in ["order0002", "order0003"] {
            let other = try plain.submit(sale(order + "x", amount: 1_864), at: merchant.now)
            #expect(other.fault == "normal")
            let armed = try plain.submit(sale(order, card: "6228480001234001780"), at: merchant.now)
            #expect(armed.fault == "declined_64")
        }
    }
}
