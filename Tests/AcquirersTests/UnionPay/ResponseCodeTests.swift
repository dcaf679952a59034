import Charging
import Contracts
import Testing

@testable import Acquirers

/// The list of response codes: what each says in the answer to a send, and what as a transaction's result.
@Suite("Response codes")
struct ResponseCodeTests {
    private static let charges: [TransactionType] = [.sale, .authorisation]
    private static let followUps = TransactionType.allCases.filter { !$0.isCharge }

    @Test(
        "00 in an answer says that the request was taken, as a result that it was done",
        arguments: TransactionType.allCases)
    func success(type: TransactionType) {
        #expect(ResponseCode(text: "00").answer(to: type) == .accepted)
        #expect(ResponseCode(text: "00").result(of: type) == .succeeded(remark: nil))
    }

    // Failure scenarios 23, 24.
    @Test(
        "Money that moved in an odd way is booked by a query's result alone, with a remark; a charge that failed by its name is owed back",
        arguments: ["A6", "42", "74", "75"], TransactionType.allCases)
    func paid(code: String, type: TransactionType) throws {
        #expect(ResponseCode(text: code).answer(to: type) == .accepted)
        guard case .succeeded(let remark) = ResponseCode(text: code).result(of: type) else {
            Issue.record("\(code) moves money")
            return
        }
        #expect(try #require(remark).text.hasPrefix(code))
        #expect(remark?.isOfFailure == (type.isCharge && code != "A6"))
    }

    @Test("Taken, outcome later", arguments: ["05", "70"], TransactionType.allCases)
    func taken(code: String, type: TransactionType) {
        #expect(ResponseCode(text: code).answer(to: type) == .accepted)
        #expect(ResponseCode(text: code).result(of: type) == .accepted)
    }

    // Failure scenario 21.
    @Test("A duplicate is known there from before, and no failure", arguments: TransactionType.allCases)
    func duplicate(type: TransactionType) {
        #expect(ResponseCode(text: "12").answer(to: type) == .alreadyKnown)
        #expect(ResponseCode(text: "12").result(of: type) == .unclear)
    }

    @Test(
        "Failures say why",
        arguments: [
            ("01", .other), ("10", .configuration), ("11", .configuration), ("13", .configuration),
            ("14", .configuration), ("30", .issuerDeclined), ("31", .configuration), ("32", .configuration),
            ("33", .configuration), ("38", .risk), ("39", .configuration), ("40", .configuration),
            ("41", .configuration), ("60", .issuerDeclined), ("61", .invalidCard), ("62", .issuerDeclined),
            ("63", .frozenCard), ("64", .insufficientFunds), ("65", .incorrectPIN), ("66", .issuerDeclined),
            ("67", .pinTriesExceeded), ("68", .issuerDeclined), ("69", .other), ("71", .other),
            ("72", .issuerDeclined), ("73", .expiredCard), ("76", .issuerDeclined), ("77", .issuerDeclined),
            ("78", .issuerDeclined), ("79", .issuerDeclined), ("80", .other),
        ] as [(String, DeclineReason)])
    func failed(code: String, reason: DeclineReason) {
        for type in TransactionType.allCases {
            let verdict: Verdict =
                type.isCharge ? .declined(reason) : .failed(reason == .configuration ? .configuration : .refused)
            #expect(ResponseCode(text: code).answer(to: type) == verdict)
            #expect(ResponseCode(text: code).result(of: type) == verdict)
        }
    }

    // Failure scenario 22.
    @Test(
        "What says neither yes nor no, or is not known, is not guessed",
        arguments: ["02", "03", "04", "06", "34", "37", "98", "99", "ZZ", "07"], TransactionType.allCases)
    func unclear(code: String, type: TransactionType) {
        #expect(ResponseCode(text: code).answer(to: type) == .unclear)
        #expect(ResponseCode(text: code).result(of: type) == .unclear)
    }

    @Test("An original that is missing or in a wrong state fails what follows it", arguments: ["35", "36"], followUps)
    func originalState(code: String, type: TransactionType) {
        let code = ResponseCode(text: code)
        #expect(code.answer(to: type) == .failed(.originalState))
        #expect(code.result(of: type) == .failed(.originalState))
    }

    // Failure scenario 38.
    @Test(
        "\"Given back already\" in an answer may be our own doing: the result of our own key decides",
        arguments: followUps)
    func alreadyReturned(type: TransactionType) {
        #expect(ResponseCode(text: "45").answer(to: type) == .alreadyReturned)
        #expect(ResponseCode(text: "45").result(of: type) == .failed(.originalState))
    }

    @Test("Codes about an original say nothing of a charge, which has none", arguments: ["35", "36", "45"], charges)
    func chargeWithoutOriginal(code: String, type: TransactionType) {
        #expect(ResponseCode(text: code).answer(to: type) == .unclear)
        #expect(ResponseCode(text: code).result(of: type) == .unclear)
    }
}
