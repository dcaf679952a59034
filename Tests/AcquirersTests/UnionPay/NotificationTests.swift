import Charging
import Contracts
import SandboxAcquirer
import Testing

@testable import Acquirers

/// A notification comes from anywhere: it is believed when UnionPay signed all of it, and then it is a claim about a key.
@Suite("Notifications")
struct NotificationTests {
    private let fixture: UnionPayFixture
    private let charge: Charge

    init() throws {
        fixture = try UnionPayFixture()
        charge = try Sample.charge()
    }

    private func message(
        _ changes: [String: String] = [:], by name: AcquirerPKI.Name = .sign
    ) throws -> SignedMessage {
        try SignedMessage(
            UnionPayFixture.subject(of: charge),
            [
                "traceNo": "000001", "traceTime": "1121150322", "settleAmt": "10000", "settleCurrencyCode": "156",
                "accNo": "625902******3629", "exchangeRate": "0",
            ].merging(changes) { $1 }
        ).signed(by: fixture.pki[name])
    }

    private func read(_ body: [UInt8], at time: Timestamp = UnionPayFixture.now) throws -> AcquirerNotification {
        try fixture.unionPay.notification(UnionPayFixture.request(body), at: time)
    }

    @Test(
        "A genuine notification names the key and claims a result",
        arguments: [
            ("00", .succeeded(remark: nil)), ("65", .declined(.incorrectPIN)), ("04", .unclear), ("12", .unclear),
            ("34", .unclear), ("05", .accepted),
        ] as [(String, Verdict)])
    func genuine(code: String, verdict: Verdict) throws {
        let notification = try read(try message(["respCode": code]).form)
        let reference = try #require(charge.reference)
        #expect(notification.reference == reference)
        #expect(
            notification.answer
                == AcquirerAnswer(
                    verdict,
                    result: AcquirerResult(
                        reference: reference, code: code, serial: "782611211503220000018", settlementDate: "1121"),
                    echoed: EchoedFields(reserved: charge.reserved, amount: 10_000, currency: "156")))
    }

    @Test(
        "A wrong amount, currency or order is handed on as it is, for Charging to judge",
        arguments: [
            (["txnAmt": "10001"], EchoedFields(amount: 10_001, currency: "156")),
            (["currencyCode": "840"], EchoedFields(amount: 10_000, currency: "840")),
            (["txnAmt": "", "currencyCode": ""], EchoedFields()),
        ])
    func echoed(changes: [String: String], echoed: EchoedFields) throws {
        let notification = try read(try message(changes.merging(["reqReserved": ""]) { $1 }).form)
        #expect(notification.answer.echoed == echoed)
    }

    // Failure scenario 16.
    @Test(
        "Forgeries are refused by what is wrong with them",
        arguments: [
            (AcquirerPKI.Name.impostor, .untrustedCertificate), (.foreign, .foreignCertificate),
            (.signExpired, .expiredCertificate), (.merchant, .foreignCertificate), (.middle, .foreignCertificate),
            (.root, .foreignCertificate), (.impostorRoot, .untrustedCertificate),
        ] as [(AcquirerPKI.Name, NotificationError.Code)])
    func forged(by name: AcquirerPKI.Name, code: NotificationError.Code) throws {
        let body = try message(by: name).form
        #expect { try read(body) } throws: { ($0 as? NotificationError)?.code == code }
    }

    // Failure scenario 15.
    @Test(
        "Every signed field is covered by the signature",
        arguments: ["respCode", "txnAmt", "orderId", "merId", "reqReserved", "txnTime", "respMsg", "queryId"])
    func covered(name: String) throws {
        var changed = try message()
        changed.fields[name] = (changed.fields[name] ?? "") + "0"
        #expect { try read(changed.form) } throws: { ($0 as? NotificationError)?.code == .signature }
        changed.fields[name] = nil
        #expect { try read(changed.form) } throws: { ($0 as? NotificationError)?.code == .signature }
        changed = try message()
        changed.fields["added"] = "1"
        #expect { try read(changed.form) } throws: { ($0 as? NotificationError)?.code == .signature }
    }

    @Test("Two fields melted into one, though the signature fits, are refused: that would hide the amount")
    func melted() throws {
        var melted = try message()
        let text = melted.text
        melted.fields["traceTime"] = "1121150322&txnAmt=10000"
        melted.fields["txnAmt"] = nil
        #expect(melted.text == text)
        #expect { try read(melted.form) } throws: { ($0 as? NotificationError)?.code == .malformed }
    }

    // Failure scenario 17.
    @Test(
        "What is about something else is refused",
        arguments: [
            (["merId": "777290058199999"], .account), (["txnType": "04", "txnSubType": "01"], .subject),
            (["txnType": "99"], .subject), (["txnType": ""], .subject), (["orderId": ""], .malformed),
            (["txnTime": "20261121"], .malformed), (["respCode": ""], .malformed), (["txnAmt": "1e4"], .malformed),
            (["version": "5.0.0"], .malformed),
        ] as [([String: String], NotificationError.Code)])
    func otherSubject(changes: [String: String], code: NotificationError.Code) throws {
        let body = try message(changes).form
        #expect { try read(body) } throws: { ($0 as? NotificationError)?.code == code }
    }

    @Test("What is no form is refused", arguments: ["", "hello", "{\"respCode\":\"00\"}", "respCode=%00"])
    func malformed(body: String) {
        #expect { try read(Array(body.utf8)) } throws: { ($0 as? NotificationError)?.code == .malformed }
    }

    @Test("A reason tells nothing of the message")
    func silence() throws {
        var changed = try message()
        changed.fields["respCode"] = "01"
        let body = changed.form
        #expect {
            try read(body)
        } throws: { error in
            !changed.fields.values.contains { $0.count > 4 && "\(error)".contains($0) }
        }
    }
}
