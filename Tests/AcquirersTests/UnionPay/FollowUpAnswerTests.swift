import Charging
import Contracts
import OrchardHTTPClient
import OrchardHTTPTypes
import SandboxAcquirer
import Testing

@testable import Acquirers

/// What an answer, a query or a notification says of a capture, void or refund.
@Suite("Follow-up answers")
struct FollowUpAnswerTests {
    private let fixture: UnionPayFixture
    private let refund: FollowUp

    init() throws {
        fixture = try UnionPayFixture()
        refund = try Sample.followUp(.refund, of: Sample.charge(), fen: 2_500)
    }

    private func message(_ changes: [String: String] = [:], by name: AcquirerPKI.Name = .sign) throws -> SignedMessage {
        try SignedMessage(UnionPayFixture.subject(of: refund), changes).signed(by: fixture.pki[name])
    }

    private func sent(_ outcome: HTTPOutcome) -> SendOutcome {
        fixture.unionPay.sendOutcome(outcome, of: .refund, refund.reference, at: UnionPayFixture.now)
    }

    private func queried(_ outcome: HTTPOutcome) -> QueryOutcome {
        fixture.unionPay.queryOutcome(outcome, of: .refund, refund.reference, at: UnionPayFixture.now)
    }

    private func answer(_ verdict: Verdict, _ code: String) -> AcquirerAnswer {
        AcquirerAnswer(
            verdict,
            result: AcquirerResult(
                reference: refund.reference, code: code, serial: "782611221503220000028", settlementDate: "1122"),
            echoed: EchoedFields(reserved: refund.reserved, amount: 2_500, currency: "156"))
    }

    @Test(
        "The answer to a send: taken, declined with its reason, known there, or neither",
        arguments: [
            ("00", .accepted), ("35", .failed(.originalState)), ("36", .failed(.originalState)),
            ("45", .alreadyReturned),
            ("12", .alreadyKnown), ("03", .unclear), ("60", .failed(.refused)), ("32", .failed(.configuration)),
        ] as [(String, Verdict)])
    func send(code: String, verdict: Verdict) throws {
        let body = try message(["respCode": code]).answer
        #expect(sent(UnionPayFixture.answered(body)) == .answered(answer(verdict, code)))
    }

    @Test(
        "The query of its own key decides",
        arguments: [
            ("00", "00", .succeeded(remark: nil), "00"), ("00", "45", .failed(.originalState), "45"),
            ("00", "35", .failed(.originalState), "35"), ("00", "05", .accepted, "05"), ("34", "", .notFound, "34"),
            ("37", "", .tooManyQueries, "37"), ("00", "12", .unclear, "12"),
        ] as [(String, String, Verdict, String)])
    func query(code: String, original: String, verdict: Verdict, shown: String) throws {
        let body = try message(["respCode": code, "origRespCode": original]).answer
        #expect(queried(UnionPayFixture.answered(body)) == .answered(answer(verdict, shown)))
    }

    @Test("An answer about another transaction, or that nobody signed, leaves it unknown")
    func notBelieved() throws {
        let charge = UnionPayFixture.subject(of: try Sample.charge())
        let bodies = [
            (try message(by: .impostor).answer, "untrustedCertificate"),
            (try message(["orderId": charge["orderId"] ?? ""]).answer, "subject"),
            (try message(["txnTime": "20261121150323"]).answer, "subject"),
            (Array("<html><body>503</body></html>".utf8), "malformed"),
            (Array(try message().text.replacing("txnAmt=2500", with: "txnAmt=2501").utf8), "signature"),
        ]
        for (body, word) in bodies {
            #expect(sent(UnionPayFixture.answered(body)).reason?.contains(word) == true)
            #expect(queried(UnionPayFixture.answered(body)).reason?.contains(word) == true)
        }
        #expect(
            sent(UnionPayFixture.answered(try message().answer, status: .badGateway)).reason?.contains("502") == true)
    }

    @Test("Another amount or order in an answer is handed on as it is, for Charging to judge")
    func echoed() throws {
        let body = try message(["txnAmt": "2501", "reqReserved": "other", "currencyCode": ""]).answer
        guard case .answered(let answer) = sent(UnionPayFixture.answered(body)) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.echoed == EchoedFields(reserved: "other", amount: 2_501))
    }

    @Test(
        "A notification of every kind names the key and claims a result by its own kind",
        arguments: [
            (.capture, nil), (.refund, nil), (.void, .sale), (.void, .authorisation), (.void, .capture),
        ] as [(FollowUpKind, OperationKind?)])
    func notification(kind: FollowUpKind, target: OperationKind?) throws {
        let followUp = try Sample.followUp(kind, target: target, of: Sample.charge(), fen: 2_500)
        for (code, verdict) in [
            ("00", Verdict.succeeded(remark: nil)), ("45", .failed(.originalState)), ("12", .unclear),
        ] {
            let body = try SignedMessage(UnionPayFixture.subject(of: followUp), ["respCode": code])
                .signed(by: fixture.pki[.sign]).form
            let claim = try fixture.unionPay.notification(UnionPayFixture.request(body), at: UnionPayFixture.now)
            #expect(claim.reference == followUp.reference)
            #expect(claim.answer.verdict == verdict)
            #expect(claim.answer.echoed.reserved == followUp.reserved)
        }
    }

    @Test("A notification of an authorisation is one of a charge")
    func authorisation() throws {
        let charge = try Sample.charge(kind: .authorisation)
        let body = try SignedMessage(UnionPayFixture.subject(of: charge), ["txnType": "02", "respCode": "45"])
            .signed(by: fixture.pki[.sign]).form
        let claim = try fixture.unionPay.notification(UnionPayFixture.request(body), at: UnionPayFixture.now)
        #expect(claim.reference == charge.reference)
        #expect(claim.answer.verdict == .unclear)
    }
}
