import OrchardJSON
import Testing

@testable import SandboxAcquirer

/// What may follow a transaction, and what the book keeps of it.
@Suite("Follow-ups in the book")
struct FollowUpRulesTests {
    private let merchant: Merchant
    private var book = Book()
    /// 21 November 2026, 15:03:22 in Beijing.
    private var now = BeijingTime(seconds: 1_795_244_602)
    private var orders = 0

    init() throws { merchant = try Merchant(now: now) }

    /// Submits a request, finishes it, and returns its row.
    private mutating func done(_ message: ACPMessage, _ kind: TransactionKind) throws -> Transaction {
        let request = TransactionRequest(message, kind, card: message["accNo"] ?? "")
        let queryID = try #require(try book.submit(request, at: now).queryID)
        book.finish(queryID)
        return try #require(book[queryID])
    }

    private mutating func charge(_ amount: Int64, _ kind: TransactionKind = .sale) throws -> Transaction {
        orders += 1
        let changes = ["txnType": kind.rawValue, "txnTime": now.text]
        return try done(merchant.sale("charge\(orders)", amount: amount, changes), kind)
    }

    /// The code of a follow-up's result.
    private mutating func follow(
        _ kind: TransactionKind, _ original: Transaction, _ amount: Int64, _ changes: [String: String] = [:]
    ) throws -> String {
        orders += 1
        let message = merchant.followUp(
            kind, of: original.queryID, amount: amount, "follow\(orders)",
            ["txnTime": now.text].merging(changes) { $1 })
        return try done(message, kind).result?.text ?? ""
    }

    private mutating func pass(days: Int64 = 0, hours: Int64 = 0) {
        now = BeijingTime(seconds: now.seconds + days * 86_400 + hours * 3_600)
    }

    @Test("Refunds give back no more than was taken, in as many parts as you like, for about eleven months")
    mutating func refunds() throws {
        let sale = try charge(10_000)
        var codes = [try follow(.refund, sale, 4_000), try follow(.refund, sale, 6_001)]
        pass(days: 335)
        codes.append(try follow(.refund, sale, 3_000))
        pass(hours: 1)
        codes.append(try follow(.refund, sale, 3_000))
        #expect(codes == ["00", "36", "00", "35"])
        #expect(book[sale.queryID]?.refunded == 7_000)
    }

    @Test("What was given back whole, or undone, is told by its own code")
    mutating func alreadyReturned() throws {
        let (refunded, voided) = (try charge(10_000), try charge(10_000))
        var codes = [try follow(.refund, refunded, 10_000), try follow(.refund, refunded, 1)]
        codes += [try follow(.saleVoid, refunded, 10_000), try follow(.saleVoid, voided, 10_000)]
        codes += [try follow(.refund, voided, 1), try follow(.saleVoid, voided, 10_000)]
        #expect(codes == ["00", "45", "45", "00", "45", "45"])
    }

    @Test("A void is of the whole amount, before any refund, and on its own day: until 23:00")
    mutating func voids() throws {
        let (sale, refunded, late) = (try charge(10_000), try charge(10_000), try charge(10_000))
        var codes = [try follow(.saleVoid, sale, 9_999), try follow(.saleVoid, sale, 10_000)]
        codes += [try follow(.refund, refunded, 1), try follow(.saleVoid, refunded, 10_000)]
        pass(hours: 8)
        codes.append(try follow(.saleVoid, late, 10_000))
        #expect(codes == ["36", "00", "00", "35", "35"])
    }

    @Test("A hold is completed once, up to 115 % of it, within thirty days")
    mutating func completions() throws {
        let (hold, old) = (try charge(10_000, .preauthorisation), try charge(10_000, .preauthorisation))
        var codes = [try follow(.completion, hold, 11_501), try follow(.completion, hold, 11_500)]
        codes += [try follow(.completion, hold, 1), try follow(.preauthorisationVoid, hold, 10_000)]
        pass(days: 30, hours: 1)
        codes += [try follow(.completion, old, 10_000), try follow(.preauthorisationVoid, old, 10_000)]
        #expect(codes == ["36", "00", "35", "35", "35", "35"])
    }

    @Test("The void of a completion opens its hold again")
    mutating func reopened() throws {
        let hold = try charge(10_000, .preauthorisation)
        #expect(try follow(.completion, hold, 9_000) == "00")
        let completion = try #require(book.transactions.last)
        #expect(try follow(.completionVoid, completion, 9_000) == "00")
        #expect(try follow(.completion, hold, 8_000) == "00")
        #expect(BookSummary(book.transactions).chargedFen == 8_000)
    }

    @Test("A refund may name its original by the merchant's key; nothing follows what is not there or does not fit")
    mutating func originals() throws {
        let (sale, hold) = (try charge(10_000), try charge(10_000, .preauthorisation))
        let byKey = [
            "origQryId": "", "origOrderId": sale.request.key.orderID, "origTxnTime": sale.request.key.time,
        ]
        var codes = [try follow(.refund, sale, 1, byKey), try follow(.refund, hold, 1)]
        codes.append(try follow(.refund, sale, 1, ["origQryId": "782611211503220999998"]))
        codes.append(try follow(.completion, sale, 10_000))
        codes.append(try follow(.refund, sale, 1, ["bizType": "000201"]))
        #expect(codes == ["00", "36", "35", "36", "36"])
    }

    @Test("A follow-up that fails takes nothing of its original; one in progress does")
    mutating func reservations() throws {
        let sale = try charge(20_000)
        for name in ["late_declined_60", "declined_60"] {
            let fault = try #require(FaultTable.fault(named: name))
            book.arm(ArmedFault(fault: fault, match: TransactionMatch(kind: .refund), count: 1))
            #expect(try follow(.refund, sale, 20_000) == "60")
            #expect(book[sale.queryID]?.refunded == 0)
        }
        let pending = TransactionRequest(
            merchant.followUp(.refund, of: sale.queryID, amount: 15_000, "pending1"), .refund, card: "")
        _ = try book.submit(pending, at: now)
        #expect(try follow(.refund, sale, 5_001) == "36")
        #expect(try follow(.refund, sale, 5_000) == "00")
    }

    @Test("An amount brings its fault to refunds of a part, not to what has its original's amount")
    mutating func amounts() throws {
        let sale = try charge(20_000)
        #expect(try follow(.refund, sale, 10_960) == "60")
        let hold = try charge(10_000, .preauthorisation)
        #expect(try follow(.completion, hold, 9_960) == "00")
    }

    @Test("The summary tells each order's money: held, taken, given back, and what is left")
    mutating func summary() throws {
        let (sale, hold) = (try charge(10_000), try charge(5_000, .preauthorisation))
        let (own, other) = (["reqReserved": "pay-charge1"], ["reqReserved": "pay-charge2"])
        #expect(try follow(.refund, sale, 2_500, own) == "00")
        #expect(BookSummary(book.transactions).amounts["pay-charge2"] == OrderAmounts(held: 5_000))
        #expect(try follow(.completion, hold, 4_000, other) == "00")
        let completion = try #require(book.transactions.last)
        #expect(try follow(.completionVoid, completion, 4_000, other) == "00")
        let summary = BookSummary(book.transactions)
        #expect(
            summary.amounts == [
                "pay-charge1": OrderAmounts(taken: 10_000, returned: 2_500),
                "pay-charge2": OrderAmounts(held: 5_000, taken: 4_000, returned: 4_000),
            ])
        let json = summary.json(group: nil, counts: [:])
        #expect(json["netFen"] == .integer(7_500))
        #expect(json["orders"]?["pay-charge1"]?["net"] == .integer(7_500))
        #expect(json["byType"]?["33"]?["amount"] == .integer(4_000))
    }

    @Test("Two paid sales of an order are a double charge; when one is given back, none in the end")
    mutating func doubleCharges() throws {
        let first = try charge(10_000)
        _ = try done(merchant.sale("charge1", ["txnTime": "20261121150400"]), .sale)
        let twice = JSONValue.object(["charge1": .integer(2)])
        #expect(BookSummary(book.transactions).json(group: nil, counts: [:])["doubleChargesNet"]?["orderId"] == twice)
        #expect(try follow(.refund, first, 10_000) == "00")
        let json = BookSummary(book.transactions).json(group: nil, counts: [:])
        #expect(json["doubleCharges"]?["orderId"] == twice)
        #expect(json["doubleChargesNet"]?["orderId"] == .object([]))
    }
}
