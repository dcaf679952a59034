import Foundation
import Testing

@testable import SandboxAcquirer

@Suite("Request rules")
struct RequestRulesTests {
    private let merchant: Merchant
    private let rules: RequestRules

    init() throws {
        merchant = try Merchant(now: BeijingTime(seconds: 1_795_244_602))
        rules = RequestRules(merchants: Set(merchant.pki.merchants), certificateID: merchant.pki.certificateID)
    }

    private func refusal(
        of message: ACPMessage, at endpoint: RequestRules.Endpoint = .back, signed: Bool = true
    ) -> Refusal? {
        var message = message
        message["signature"] = message["signature"] ?? "signed"
        do throws(Refusal) {
            try rules.check(message, at: endpoint, merchant.now) { signed }
            return nil
        } catch {
            return error
        }
    }

    @Test("A correct sale and both kinds of query pass")
    func right() {
        let sale = merchant.sale()
        #expect(refusal(of: sale) == nil)
        #expect(refusal(of: merchant.query(sale), at: .query) == nil)
        let byQueryID = merchant.query(sale, ["txnSubType": "02", "queryId": String(repeating: "1", count: 21)])
        #expect(refusal(of: byQueryID, at: .query) == nil)
        let info = Data("{customerNm=tom&pin=81103e8d9ea8afc5}".utf8).base64EncodedString()
        #expect(refusal(of: merchant.sale("order0001", ["customerInfo": info])) == nil)
    }

    @Test(
        "Wrong fields",
        arguments: [
            ("accNo", "", "13", "accNo"), ("orderId", "", "13", "orderId"), ("certId", "1", "11", ""),
            ("orderId", "short-1_x", "10", "orderId"), ("orderId", "short", "10", "orderId"),
            ("txnAmt", "1.5", "10", "txnAmt"), ("txnAmt", "0100", "10", "txnAmt"),
            ("currencyCode", "840", "10", "currencyCode"),
            ("txnTime", "20261121153323", "10", "txnTime"), ("txnTime", "20261121144821", "10", "txnTime"),
            ("txnTime", "20261121", "10", "txnTime"), ("bizType", "000201", "32", "bizType"),
            ("merId", "777290058199999", "31", ""), ("txnType", "55", "10", "txnType"),
            ("version", "5.0.0", "10", "version"),
            ("backUrl", "ftp://127.0.0.1/", "10", "backUrl"), ("reqReserved", "a&b", "10", "reqReserved"),
            ("cardTransData", "{carrierTp=6}", "10", "cardTransData"), ("cardTransData", "x", "10", "cardTransData"),
            ("cardTransData", "{ICCardData=AAAA&carrierAppTp=3&carrierTp=6}", "10", "cardTransData"),
            ("customerInfo", "e3Bpbj0xMjM0fQ==", "10", "customerInfo.pin"),
            ("customerInfo", "AAAA", "10", "customerInfo"),
        ])
    func wrong(_ name: String, _ value: String, _ code: String, _ field: String) {
        #expect(refusal(of: merchant.sale("order0001", [name: value])) == Refusal(ResponseCode(code), field))
    }

    @Test("Preauthorisations and every kind of follow-up pass, under the sale's product or none")
    func followUps() {
        #expect(refusal(of: merchant.sale("order0001", ["txnType": "02"])) == nil)
        for kind in TransactionKind.allCases where !kind.hasCard {
            let message = followUp(kind)
            #expect(refusal(of: message) == nil)
            #expect(refusal(of: followUp(kind, ["bizType": "000000"])) == nil)
            #expect(refusal(of: followUp(kind, ["bizType": "000201"])) == Refusal(.noRight, "bizType"))
            #expect(refusal(of: followUp(kind, ["txnTime": "20261121144821"])) == Refusal(.badFormat, "txnTime"))
            for field in ["txnAmt", "backUrl", "channelType", "origQryId"] {
                #expect(refusal(of: followUp(kind, [field: ""])) == Refusal(.missingField, field))
            }
            #expect(refusal(of: followUp(kind, ["origQryId": "12"])) == Refusal(.badFormat, "origQryId"))
            let byKey = ["origQryId": "", "origOrderId": "order0001", "origTxnTime": merchant.now.text]
            #expect((refusal(of: followUp(kind, byKey)) == nil) == (kind == .refund))
        }
        #expect(refusal(of: followUp(.refund, ["txnSubType": "01"])) == Refusal(.badFormat, "txnType"))
    }

    private func followUp(_ kind: TransactionKind, _ changes: [String: String] = [:]) -> ACPMessage {
        merchant.followUp(kind, of: "782611211503220000018", amount: 1, "follow01", changes)
    }

    @Test("A settlement file and the encryption certificate are asked for at their own addresses")
    func files() {
        let file = merchant.file("1120")
        #expect(refusal(of: file, at: .file) == nil)
        #expect(refusal(of: file) == Refusal(.badFormat, "txnType"))
        #expect(refusal(of: merchant.file("1301"), at: .file) == Refusal(.badFormat, "settleDate"))
        #expect(refusal(of: merchant.file(""), at: .file) == Refusal(.missingField, "settleDate"))
        let certificate = merchant.certificate()
        #expect(refusal(of: certificate) == nil)
        #expect(refusal(of: certificate, at: .file) == Refusal(.badFormat, "txnType"))
    }

    @Test("A time within fifteen minutes of now is accepted", arguments: ["20261121151822", "20261121144822"])
    func time(_ time: String) {
        #expect(refusal(of: merchant.sale("order0001", ["txnTime": time])) == nil)
    }

    @Test("Presence is checked before the signature, the signature before everything else")
    func order() {
        #expect(refusal(of: merchant.sale("order0001", ["txnAmt": ""]), signed: false)?.code == .missingField)
        #expect(refusal(of: merchant.sale("x"), signed: false)?.code == .badSignature)
    }

    @Test("Each address accepts its own transactions")
    func endpoints() {
        let sale = merchant.sale()
        #expect(refusal(of: sale, at: .query) == Refusal(.badFormat, "txnType"))
        #expect(refusal(of: merchant.query(sale), at: .back) == Refusal(.badFormat, "txnType"))
    }
}
