import Charging
import Contracts
import Testing

@testable import Acquirers

/// The list of response codes: what each says in the answer to a sale, and what as a transaction's result.
@Suite("Response codes")
struct ResponseCodeTests {
    @Test("00 in an answer says that the sale was taken, as a result that money moved")
    func success() {
        #expect(ResponseCode(text: "00").answer == .accepted)
        #expect(ResponseCode(text: "00").result == .succeeded(remark: nil))
    }

    // Failure scenario 24.
    @Test(
        "Money that moved in an odd way is booked by a query's result alone, with a remark",
        arguments: ["A6", "42", "74", "75"])
    func paid(code: String) throws {
        #expect(ResponseCode(text: code).answer == .accepted)
        guard case .succeeded(let remark) = ResponseCode(text: code).result else {
            Issue.record("\(code) is a charge")
            return
        }
        #expect(try #require(remark).hasPrefix(code))
    }

    @Test("Taken, outcome later", arguments: ["05", "70"])
    func taken(code: String) {
        #expect(ResponseCode(text: code).answer == .accepted)
        #expect(ResponseCode(text: code).result == .accepted)
    }

    // Failure scenario 21.
    @Test("A duplicate is known there from before, and no failure")
    func duplicate() {
        #expect(ResponseCode(text: "12").answer == .alreadyKnown)
        #expect(ResponseCode(text: "12").result == .unclear)
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
        #expect(ResponseCode(text: code).answer == .declined(reason))
        #expect(ResponseCode(text: code).result == .declined(reason))
    }

    // Failure scenario 22.
    @Test(
        "What says neither yes nor no, or is not known, is not guessed",
        arguments: ["02", "03", "04", "06", "34", "35", "36", "37", "45", "98", "99", "ZZ", "07"])
    func unclear(code: String) {
        #expect(ResponseCode(text: code).answer == .unclear)
        #expect(ResponseCode(text: code).result == .unclear)
    }
}
