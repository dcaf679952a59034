import Charging
import Contracts
import OrchardHTTPClient
import OrchardHTTPTypes
import SandboxAcquirer
import SandboxPKI
import Testing

@testable import Acquirers

/// What an answer proves: nothing, unless it is whole, UnionPay's own and about this very transaction.
@Suite("Answers")
struct AnswerTests {
    private let fixture: UnionPayFixture
    private let charge: Charge
    private let reference: AcquirerReference

    init() throws {
        fixture = try UnionPayFixture()
        charge = try Sample.charge()
        reference = try #require(charge.reference)
    }

    private func body(
        _ changes: [String: String] = [:], by name: AcquirerPKI.Name = .sign
    ) throws -> [UInt8] {
        try SignedMessage(UnionPayFixture.subject(of: charge), changes).signed(by: fixture.pki[name]).answer
    }

    private func sale(_ outcome: HTTPOutcome, at time: Timestamp = UnionPayFixture.now) -> SendOutcome {
        fixture.unionPay.sendOutcome(outcome, of: .sale, reference, at: time)
    }

    private func query(_ outcome: HTTPOutcome, at time: Timestamp = UnionPayFixture.now) -> QueryOutcome {
        fixture.unionPay.queryOutcome(outcome, of: .sale, reference, at: time)
    }

    private func answer(_ verdict: Verdict, _ code: String) -> AcquirerAnswer {
        AcquirerAnswer(
            verdict,
            result: AcquirerResult(
                reference: reference, code: code, serial: "782611211503220000018", settlementDate: "1121"),
            echoed: EchoedFields(reserved: charge.reserved, amount: 10_000, currency: "156"))
    }

    @Test(
        "A verified answer to a sale is translated with its serial number and what it repeats",
        arguments: [
            ("00", .accepted), ("64", .declined(.insufficientFunds)), ("12", .alreadyKnown), ("03", .unclear),
        ] as [(String, Verdict)])
    func saleAnswer(code: String, verdict: Verdict) throws {
        let body = try body(["respCode": code])
        #expect(sale(UnionPayFixture.answered(body)) == .answered(answer(verdict, code)))
        // A signature covers all of it, so that the end of the connection may end it.
        #expect(
            sale(UnionPayFixture.answered(body, isCloseDelimited: true)) == .answered(answer(verdict, code)))
    }

    @Test(
        "origRespCode decides, and only when the query was answered 00",
        arguments: [
            ("00", "00", .succeeded(remark: nil), "00"), ("00", "65", .declined(.incorrectPIN), "65"),
            ("00", "05", .accepted, "05"), ("00", "04", .unclear, "04"), ("34", "", .notFound, "34"),
            ("37", "", .tooManyQueries, "37"), ("34", "00", .notFound, "34"), ("37", "64", .tooManyQueries, "37"),
        ] as [(String, String, Verdict, String)])
    func queryAnswer(code: String, original: String, verdict: Verdict, shown: String) throws {
        let body = try body(["respCode": code, "origRespCode": original])
        #expect(query(UnionPayFixture.answered(body)) == .answered(answer(verdict, shown)))
    }

    @Test(
        "A query that failed says nothing of the sale",
        arguments: [("03", "64"), ("06", "00"), ("99", "00"), ("A6", "00"), ("00", ""), ("00", "0"), ("", "00")])
    func failedQuery(code: String, original: String) throws {
        let body = try body(["respCode": code, "origRespCode": original])
        #expect(query(UnionPayFixture.answered(body)).reason != nil)
    }

    @Test("A query that is refused for our own fault needs a person", arguments: ["10", "11", "13", "14", "31", "41"])
    func refusedQuery(code: String) throws {
        let body = try body(["respCode": code, "origRespCode": "00"])
        #expect(
            query(UnionPayFixture.answered(body))
                == .misconfigured(reason: "the query was answered \(code) (0000000)"))
    }

    /// How an answer is spoilt, and the word that says so.
    enum Spoilt: String, CaseIterable, Sendable {
        case html, http500, empty, cutInHalf, signatureCut, changedByte, changedAmount, lineBreaksChanged, impostor
        case foreign, expired, merchantsOwn, otherOrder, otherTime, otherMerchant, noCode, noVersion, otherMethod
        case noCertificate, noSignature, twice, amountIsNone

        var word: String {
            switch self {
            case .html, .empty, .cutInHalf, .noCode, .noVersion, .otherMethod, .noCertificate, .noSignature, .twice,
                .amountIsNone:
                "malformed"
            case .http500: "HTTP status 500"
            case .signatureCut, .changedByte, .changedAmount, .lineBreaksChanged: "signature"
            case .impostor: "untrustedCertificate"
            case .foreign, .merchantsOwn: "foreignCertificate"
            case .expired: "expiredCertificate"
            case .otherOrder, .otherTime, .otherMerchant: "subject"
            }
        }
    }

    private func spoil(_ how: Spoilt) throws -> HTTPOutcome {
        let right = try body(["origRespCode": "00"])
        let text = String(decoding: right, as: UTF8.self)
        func changed(_ old: String, _ new: String) throws -> HTTPOutcome {
            try #require(text.contains(old))
            return UnionPayFixture.answered(Array(text.replacing(old, with: new).utf8))
        }
        func signed(_ changes: [String: String], by name: AcquirerPKI.Name = .sign) throws -> HTTPOutcome {
            UnionPayFixture.answered(try body(changes.merging(["origRespCode": "00"]) { old, _ in old }, by: name))
        }
        switch how {
        case .html: return UnionPayFixture.answered(Array("<html><body>503</body></html>".utf8))
        case .http500: return UnionPayFixture.answered(right, status: .internalServerError)
        case .empty: return UnionPayFixture.answered([])
        case .cutInHalf: return UnionPayFixture.answered(Array(right.prefix(right.count / 2)), isCloseDelimited: true)
        case .signatureCut:
            let end = try #require(text.firstRange(of: "&signature=")?.upperBound)
            let rest = text[end...].prefix { $0 != "&" }
            return try changed("&signature=\(rest)", "&signature=\(rest.prefix(200))")
        case .changedByte: return try changed("respMsg=成功", "respMsg=成攻")
        case .changedAmount: return try changed("txnAmt=10000", "txnAmt=10001")
        case .lineBreaksChanged: return try changed("\r\n", "\n")
        case .impostor: return try signed([:], by: .impostor)
        case .foreign: return try signed([:], by: .foreign)
        case .expired: return try signed([:], by: .signExpired)
        case .merchantsOwn: return try signed([:], by: .merchant)
        case .otherOrder: return try signed(["orderId": "b3f1c29e7b0d4f5c8e6a1b2c3d4e5f60"])
        case .otherTime: return try signed(["txnTime": "20261121150323"])
        case .otherMerchant: return try signed(["merId": "777290058199999"])
        case .noCode: return try signed(["respCode": ""])
        case .noVersion: return try signed(["version": "5.0.0"])
        case .otherMethod: return try signed(["signMethod": "11"])
        case .noCertificate: return try changed("&signPubKeyCert=", "&otherCert=")
        case .noSignature: return try changed("&signature=", "&other=")
        case .twice: return UnionPayFixture.answered(right + Array("&respCode=00".utf8))
        case .amountIsNone: return try signed(["txnAmt": "10000 "])
        }
    }

    // Failure scenarios 22, 49.
    @Test("What is not surely UnionPay's word on this transaction leaves it unknown", arguments: Spoilt.allCases)
    func spoilt(how: Spoilt) throws {
        let outcome = try spoil(how)
        guard case .unknown(let reason) = sale(outcome) else {
            Issue.record("\(sale(outcome))")
            return
        }
        #expect(reason.contains(how.word))
        #expect(try #require(query(outcome).reason).contains(how.word))
        var needsPerson = false
        if case .misconfigured = query(outcome) { needsPerson = true }
        #expect(needsPerson == how.word.hasSuffix("Certificate"))
    }

    // Failure scenario 49.
    @Test("A certificate is as good as its validity, also one that was seen before")
    func validity() throws {
        let outcome = UnionPayFixture.answered(try body())
        let years: (Int64) -> Timestamp = { UnionPayFixture.now + .seconds($0 * 365 * 86_400) }
        #expect(sale(outcome) == .answered(answer(.accepted, "00")))
        #expect(sale(outcome, at: years(6)).reason?.contains("expiredCertificate") == true)
        #expect(sale(outcome, at: years(-2)).reason?.contains("expiredCertificate") == true)
        #expect(sale(outcome) == .answered(answer(.accepted, "00")))
    }

    // Failure scenario 49.
    @Test("After a change of certificate the old and the new one are believed side by side")
    func rotation() throws {
        for name in [AcquirerPKI.Name.sign, .signNext, .sign] {
            #expect(sale(UnionPayFixture.answered(try body(by: name))) == .answered(answer(.accepted, "00")))
        }
        #expect(fixture.unionPay.trust(of: Sample.account).cachedCertificates == 2)
    }

    @Test("Certificates that are not believed are not kept, and of those that are not more than a few")
    func cache() throws {
        for name in [AcquirerPKI.Name.impostor, .foreign, .signExpired] {
            _ = sale(UnionPayFixture.answered(try body(by: name)))
        }
        #expect(fixture.unionPay.trust(of: Sample.account).cachedCertificates == 0)
        // The same certificate in ever new lines is one certificate, and with anything beside it none.
        for number in 1...40 {
            let message = try SignedMessage(UnionPayFixture.subject(of: charge))
                .signed(by: fixture.pki[.sign], comment: String(repeating: "\r\n", count: number))
            #expect(sale(UnionPayFixture.answered(message.answer)) == .answered(answer(.accepted, "00")))
        }
        #expect(fixture.unionPay.trust(of: Sample.account).cachedCertificates == 1)
        let message = try SignedMessage(UnionPayFixture.subject(of: charge))
            .signed(by: fixture.pki[.sign], comment: "1\r\n")
        #expect(sale(UnionPayFixture.answered(message.answer)).reason?.contains("exactly one certificate") == true)
    }

    @Test("Whether bytes left is the HTTP client's to say")
    func transport() {
        let failure = HTTPFailure(.connect, "refused")
        #expect(sale(.notSent(failure)) == .notSent(reason: "connect: refused", fault: .unreachable))
        #expect(sale(.unknown(failure)) == .unknown(reason: "connect: refused"))
        #expect(query(.notSent(failure)) == .failed(reason: "connect: refused"))
        #expect(query(.unknown(failure)) == .failed(reason: "connect: refused"))
    }

    // Failure scenario 7.
    @Test(
        "What is wrong with every send of an account is told from what is wrong with one",
        arguments: [
            (.connect, .unreachable), (.nameResolution, .unreachable), (.tls, .tls), (.timeout, nil), (.cancelled, nil),
            (.stopped, nil), (.connectionLost, nil), (.other, nil),
        ] as [(HTTPFailure.Code, SendFault?)])
    func faults(code: HTTPFailure.Code, fault: SendFault?) throws {
        #expect(sale(.notSent(HTTPFailure(code, "why"))).fault == fault)
        #expect(sale(.unknown(HTTPFailure(code, "why"))).fault == nil, "some of it may have arrived")
        for (code, fault) in [("11", SendFault.signatureRefused), ("10", nil), ("64", nil), ("00", nil)] {
            #expect(sale(UnionPayFixture.answered(try body(["respCode": code]))).fault == fault)
        }
    }

    @Test("An answer that repeats another amount, currency or order is handed on as it is, for Charging to judge")
    func conflicts() throws {
        let body = try body(["txnAmt": "10001", "currencyCode": "840", "reqReserved": "other"])
        guard case .answered(let answer) = sale(UnionPayFixture.answered(body)) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.echoed == EchoedFields(reserved: "other", amount: 10_001, currency: "840"))
    }
}

extension SendOutcome {
    /// Why there is no answer.
    var reason: String? {
        switch self {
        case .notSent(let reason, _), .unknown(let reason), .unsendable(let reason): reason
        case .answered: nil
        }
    }
}

extension QueryOutcome {
    /// Why there is no answer.
    var reason: String? {
        switch self {
        case .failed(let reason), .misconfigured(let reason): reason
        case .answered: nil
        }
    }
}
