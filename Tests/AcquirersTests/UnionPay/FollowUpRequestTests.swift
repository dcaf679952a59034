import Charging
import Contracts
import OrchardCrypto
import OrchardHTTPTypes
import SandboxAcquirer
import Testing

@testable import Acquirers

/// What UnionPay is sent of a capture, void or refund.
@Suite("Follow-up request")
struct FollowUpRequestTests {
    private let fixture: UnionPayFixture

    init() throws { fixture = try UnionPayFixture { $0.followUpProduct = "000000" } }

    private func fields(_ followUp: FollowUp) throws -> [String: String] {
        let type = try #require(TransactionType(followUp))
        let form = try fixture.unionPay.request(
            of: followUp, type, as: fixture.unionPay.key(of: followUp.reference))
        let pairs = try #require(form.withBytes { FormEncoding.decode($0) })
        return try Dictionary(pairs.map { ($0.name, $0.value) }) { _, _ in throw TwiceError() }
    }

    @Test(
        "It has its own key, the original's number, both identifiers in the reserved field, and no card",
        arguments: [
            (.capture, nil, "03"), (.refund, nil, "04"), (.void, .sale, "31"), (.void, .authorisation, "32"),
            (.void, .capture, "33"),
        ] as [(FollowUpKind, OperationKind?, String)])
    func fields(kind: FollowUpKind, target: OperationKind?, txnType: String) throws {
        let charge = try Sample.charge()
        let followUp = try Sample.followUp(kind, target: target, of: charge, fen: 9_900)
        var fields = try fields(followUp)
        #expect(fields.removeValue(forKey: "signature") != nil)
        #expect(
            fields == [
                "version": "5.1.0", "encoding": "UTF-8", "signMethod": "01", "accessType": "0",
                "certId": fixture.pki.certificateID, "merId": Sample.account, "txnType": txnType, "txnSubType": "00",
                "bizType": "000000", "channelType": "08", "txnAmt": "9900",
                "orderId": followUp.key.orderNumber, "txnTime": "20261121150322", "origQryId": Sample.serial,
                "backUrl": "https://pay.example.com/unionpay/notify",
                "reqReserved": charge.order.description + charge.payment.description,
            ])
        #expect(followUp.key.orderNumber != charge.reference?.orderNumber)
    }

    @Test(
        "A refund without the original's number names it by our own key",
        arguments: [nil, "", "12", "7826112115032200000 8"])
    func withoutSerial(serial: String?) throws {
        let fields = try fields(Sample.followUp(.refund, of: Sample.charge(), serial: serial))
        #expect(fields["origQryId"] == nil)
        #expect(fields["origOrderId"] == "a3f1c29e7b0d4f5c8e6a1b2c3d4e5f60")
        #expect(fields["origTxnTime"] == "20261121150322")
    }

    @Test(
        "What UnionPay's form cannot hold is never sent; what somebody can mend may be, later",
        arguments: [
            (.capture, nil, 10_000, "CNY", Sample.account, nil, "queryId", true),
            (.void, .sale, 10_000, "CNY", Sample.account, "1&txnAmt=1", "queryId", true),
            (.void, .refund, 10_000, "CNY", Sample.account, Sample.serial, "undoes", true),
            (.refund, nil, 10_000, "JPY", Sample.account, Sample.serial, "CNY", true),
            (.refund, nil, 0, "CNY", Sample.account, Sample.serial, "twelve", true),
            (.refund, nil, -1, "CNY", Sample.account, Sample.serial, "twelve", true),
            (.refund, nil, 1_000_000_000_000, "CNY", Sample.account, Sample.serial, "twelve", true),
            (.refund, nil, 10_000, "CNY", "777290058199999", Sample.serial, "777290058199999", false),
        ] as [(FollowUpKind, OperationKind?, Int64, String, String, String?, String, Bool)])
    func unfit(
        kind: FollowUpKind, target: OperationKind?, fen: Int64, code: String, account: String, serial: String?,
        word: String, isPermanent: Bool
    ) async throws {
        let charge = try Sample.charge(fen: 10_000, currency: #require(Currency(code)), account: account)
        let followUp = try Sample.followUp(kind, target: target, of: charge, fen: fen, serial: serial)
        let outcome = await fixture.unionPay.send(followUp, at: UnionPayFixture.now)
        #expect(outcome.reason?.contains(word) == true, "\(outcome)")
        #expect((outcome == .unsendable(reason: outcome.reason ?? "")) == isPermanent)
    }

    private struct TwiceError: Error {}
}
