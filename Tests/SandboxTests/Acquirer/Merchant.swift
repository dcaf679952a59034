import Foundation
import SandboxPKI

@testable import SandboxAcquirer

/// A merchant's side of ACP for tests: makes and signs requests, and checks answers.
struct Merchant {
    /// One PKI for all tests: ten RSA keys take a while.
    static let pki: AcquirerPKI? = try? AcquirerPKI(merchants: ["777290058110048"])

    let pki: AcquirerPKI
    let now: BeijingTime

    init(now: BeijingTime = BeijingTime(seconds: Int64(Date().timeIntervalSince1970))) throws {
        guard let pki = Self.pki else { throw PKIError(.operation, "no certificates") }
        self.pki = pki
        self.now = now
    }

    /// A correct sale, changed by `changes`; an empty value removes a field.
    func sale(_ orderID: String = "order0001", amount: Int64 = 10_000, _ changes: [String: String] = [:]) -> ACPMessage
    {
        let chip = Data([0x9F, 0x26, 2, 1, 2]).base64EncodedString()
        return ACPMessage(
            common.merging([
                "txnType": "01", "txnSubType": "01", "bizType": "000802", "channelType": "08", "currencyCode": "156",
                "orderId": orderID, "txnTime": now.text, "txnAmt": String(amount), "accNo": "6259020040003629",
                "cardTransData": "{ICCardData=\(chip)&carrierAppTp=2&carrierTp=6}", "reqReserved": "pay-\(orderID)",
                "backUrl": "http://127.0.0.1:9/notify",
            ]) { $1 }.merging(changes) { $1 })
    }

    /// A correct follow-up of the transaction with that `queryId`.
    func followUp(
        _ kind: TransactionKind, of queryID: String, amount: Int64, _ orderID: String, _ changes: [String: String] = [:]
    ) -> ACPMessage {
        ACPMessage(
            common.merging([
                "txnType": kind.rawValue, "txnSubType": "00", "bizType": "000802", "channelType": "08",
                "orderId": orderID, "txnTime": now.text, "txnAmt": String(amount), "origQryId": queryID,
                "reqReserved": "pay-\(orderID)", "backUrl": "http://127.0.0.1:9/notify",
            ]) { $1 }.merging(changes) { $1 })
    }

    /// A query for a sale by its order and time.
    func query(_ sale: ACPMessage, _ changes: [String: String] = [:]) -> ACPMessage {
        ACPMessage(
            common.merging([
                "txnType": "00", "txnSubType": "00", "bizType": "000000", "orderId": sale["orderId"] ?? "",
                "txnTime": sale["txnTime"] ?? "",
            ]) { $1 }.merging(changes) { $1 })
    }

    /// The request for a day's settlement file.
    func file(_ date: String, at time: BeijingTime? = nil) -> ACPMessage {
        ACPMessage(
            common.merging([
                "txnType": "76", "txnSubType": "01", "bizType": "000000", "txnTime": (time ?? now).text,
                "fileType": "00", "settleDate": date,
            ]) { $1 })
    }

    /// The request for UnionPay's encryption certificate.
    func certificate() -> ACPMessage {
        ACPMessage(
            common.merging([
                "txnType": "95", "txnSubType": "00", "bizType": "000000", "channelType": "07", "txnTime": now.text,
                "orderId": "certificate1", "certType": "01",
            ]) { $1 })
    }

    /// The message with the merchant's signature.
    func signed(_ message: ACPMessage) throws -> ACPMessage {
        var message = message
        message["signature"] = nil
        message["signature"] = Data(try pki[.merchant].key.sign(message.digest)).base64EncodedString()
        return message
    }

    /// The fields of an answer, when UnionPay's signature is right.
    func fields(of answer: Answer?) throws -> ACPMessage? {
        guard let answer else { return nil }
        var fields: [String: String] = [:]
        for pair in String(decoding: answer.body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            fields[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        let message = ACPMessage(fields)
        return message.isSigned(by: pki[.sign].certificate.publicKey) ? message : nil
    }

    private var common: [String: String] {
        [
            "version": "5.1.0", "encoding": "UTF-8", "signMethod": "01", "certId": pki.certificateID,
            "accessType": "0", "merId": pki.merchants[0],
        ]
    }
}
