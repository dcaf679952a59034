import Charging
import Contracts
import OrchardCrypto
import OrchardHTTPTypes
import SandboxAcquirer
import SandboxPKI
import Testing

@testable import Acquirers

/// What UnionPay is sent, against the worked example of its documentation.
@Suite("Sale request")
struct SaleRequestTests {
    private static let example =
        "accNo=6259020040003629&accessType=0&backUrl=https://pay.example.com/unionpay/notify&bizType=000802"
        + "&cardTransData={ICCardData=nyYI/RZhrTzcBF+fNgIAAYECACGDBN6tvu8=&carrierAppTp=2&carrierTp=6}"
        + "&certId=68759663125&channelType=08&currencyCode=156&customerInfo=e2N1c3RvbWVyTm09dG9tJnBpbj04MTEwM2U4ZDll"
        + "YThhZmM1YzYxNDdiMDllN2NkMmQ4ZGI4OGI4MjA4MDAyMX0=&encoding=UTF-8&merId=777290058110048"
        + "&orderId=a3f1c29e7b0d4f5c8e6a1b2c3d4e5f60&signMethod=01&txnAmt=10000&txnSubType=01&txnTime=20261121150322"
        + "&txnType=01&version=5.1.0"

    private let fixture: UnionPayFixture

    init() throws { fixture = try UnionPayFixture() }

    private func sale(_ charge: Charge, _ card: borrowing CardData) throws -> [String: String] {
        let form = try fixture.unionPay.request(of: charge, card, as: fixture.unionPay.key(of: charge.reference))
        let pairs = try #require(form.withBytes { FormEncoding.decode($0) })
        return try Dictionary(pairs.map { ($0.name, $0.value) }) { _, _ in throw TwiceError() }
    }

    @Test("The known answer: the string to sign and its digest")
    func knownAnswer() throws {
        var request = ACPRequest()
        let ofTheCard = ["accNo", "cardTransData", "carrierAppTp", "carrierTp", "customerInfo"]
        for part in Self.example.split(separator: "&").reversed() {
            let halves = part.split(separator: "=", maxSplits: 1).map(String.init)
            if !ofTheCard.contains(halves[0]) { request.set(halves[0], halves[1]) }
        }
        try request.set(Sample.card(), fixture.unionPay.configuration)
        let text = request.textToSign()
        text.withBytes { bytes in
            #expect(String(decoding: bytes, as: UTF8.self) == Self.example)
            let digest = "7bbd7f599de5bbeccbe9fc42a0f778c9fca885da65142d49ef332650590d57fe"
            #expect(ACPSignature.message(over: bytes) == Array(digest.utf8))
        }
    }

    @Test("A sale has exactly the example's fields, the merchant's certId and both identifiers in the reserved field")
    func fields() throws {
        let charge = try Sample.charge()
        var fields = try sale(charge, Sample.card())
        let signature = fields.removeValue(forKey: "signature")
        #expect(fields["reqReserved"] == charge.order.description + charge.payment.description)
        let text = SignedMessage([:]).with(fields).text
        let expected = Self.example
            .replacing("68759663125", with: fixture.pki.certificateID)
            .replacing("&signMethod", with: "&reqReserved=\(charge.reserved)&signMethod")
        #expect(text == expected)
        // Hashed twice, and right for the merchant's certificate.
        let digest = Digest.sha256.hash(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let bytes = try #require(signature.flatMap { Base64.decode($0) })
        let key = fixture.pki[.merchant].certificate.publicKey
        #expect(key.verify(bytes, of: Array(digest.utf8)))
        #expect(!key.verify(bytes, of: Array(text.utf8)))
    }

    @Test("An authorisation is a sale but for its txnType")
    func authorisation() throws {
        let charge = try Sample.charge()
        var (sale, authorisation) = (
            try sale(charge, Sample.card()), try self.sale(Sample.charge(kind: .authorisation), Sample.card())
        )
        #expect(authorisation.removeValue(forKey: "txnType") == "02")
        #expect(sale.removeValue(forKey: "txnType") == "01")
        #expect(authorisation.removeValue(forKey: "signature") != sale.removeValue(forKey: "signature"))
        #expect(authorisation == sale)
    }

    @Test(
        "Parts that the card does not have are left out",
        arguments: [
            (["tom", Sample.pin], "{customerNm=tom&pin=\(Sample.pin)}"), (["", Sample.pin], "{pin=\(Sample.pin)}"),
            (["tom", ""], "{customerNm=tom}"), (["张三", ""], "{customerNm=张三}"), (["", ""], nil),
            // A name that would end its member early.
            (["a&pin=00", Sample.pin], "{pin=\(Sample.pin)}"), (["a}", ""], nil), (["a\nb", ""], nil),
        ] as [([String], String?)])
    func customer(name: [String], expected: String?) throws {
        let fields = try sale(
            Sample.charge(), Sample.card([.cardholderName: name[0], .encryptedPIN: name[1]]))
        let members = fields["customerInfo"].flatMap { Base64.decode($0) }.map { String(decoding: $0, as: UTF8.self) }
        #expect(members == expected)
    }

    @Test(
        "What UnionPay's form cannot hold is never sent",
        arguments: [
            (Field.accountNumber, "62590200\u{26}txnAmt=1", "accountNumber"),
            (.emvData, "", "EMV"), (.emvData, "AA}&x={", "emvData"), (.encryptedPIN, "12&customerNm=x", "encryptedPIN"),
        ])
    func unfitCard(field: Field, value: String, word: String) async throws {
        let outcome = await fixture.unionPay.send(
            try Sample.charge(), card: try Sample.card([field: value]), at: UnionPayFixture.now)
        guard case .unsendable(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.contains(word))
        #expect(value.isEmpty || !reason.contains(value))
    }

    @Test(
        "A charge that is not for UnionPay is never sent; one whose account is missing may be, when it is back",
        arguments: [
            (10_000, "JPY", Sample.account, "CNY"), (1_000_000_000_000, "CNY", Sample.account, "twelve"),
            (0, "CNY", Sample.account, "twelve"), (10_000, "CNY", "777290058199999", "777290058199999"),
        ])
    func unfitCharge(amount: Int64, code: String, account: String, word: String) async throws {
        let currency = try #require(Currency(code))
        let charge = try Sample.charge(fen: amount, currency: currency, account: account)
        let outcome = await fixture.unionPay.send(charge, card: try Sample.card(), at: UnionPayFixture.now)
        #expect(outcome.reason?.contains(word) == true)
        #expect((outcome == .unsendable(reason: outcome.reason ?? "")) == (account == Sample.account))
    }

    // Failure scenario 32.
    @Test(
        "Times are Beijing's, whatever this machine's zone",
        arguments: [
            ("2026-11-21T07:03:22Z", "20261121150322"), ("2026-12-31T16:00:00Z", "20270101000000"),
            ("2028-02-28T15:59:59Z", "20280228235959"), ("2028-02-28T16:00:00Z", "20280229000000"),
        ])
    func time(utc: String, beijing: String) throws {
        let time = try #require(Timestamp(rfc3339: utc))
        #expect(time.transactionTime == beijing)
        #expect(Timestamp(transactionTime: beijing) == time)
    }

    // Failure scenario 31.
    @Test("A sale is the same request whenever it is repeated: neither time nor number come from a clock")
    func repeated() throws {
        let charge = try Sample.charge(at: try #require(Timestamp(rfc3339: "2026-11-21T14:59:59Z")))
        let (first, second) = (try sale(charge, Sample.card()), try sale(charge, Sample.card()))
        #expect(first == second && first["txnTime"] == "20261121225959")
    }

    @Test(
        "What is no time is none",
        arguments: ["", "2026112115032", "20260230000000", "2026112115032x", "20261121240000"])
    func noTime(text: String) {
        #expect(Timestamp(transactionTime: text) == nil)
    }

    typealias Field = CardData.Field

    private struct TwiceError: Error {}
}

extension SignedMessage {
    fileprivate func with(_ fields: [String: String]) -> SignedMessage {
        var message = self
        message.fields = fields
        return message
    }
}
