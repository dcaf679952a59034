import Charging
import Contracts
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPTypes

/// The download of settlement files: txnType 76.
extension UnionPay: SettlementSource {
    public var settlementCalendar: SettlementCalendar { .unionPay }

    public func settlesByFile(_ account: String) -> Bool { settlementURL(of: account) != nil }

    public func fetchSettlement(
        of account: String, on date: SettlementDate, at time: Timestamp
    ) async -> SettlementAnswer {
        guard let merchant = merchants[account] else {
            return .misconfigured(reason: "no route of merchants.json has the account \(account)")
        }
        guard let url = settlementURL(of: account) else {
            let section = merchant.environment == .test && configuration.test != nil ? "unionpay.test" : "unionpay"
            return .misconfigured(reason: "\(section).settlement.url is missing: where files are downloaded")
        }
        let form: SecretBytes
        do throws(CryptoError) {
            form = try settlementRequest(account, date, at: time).form(signedBy: merchant)
        } catch {
            return .misconfigured(reason: "the request cannot be signed: \(error)")
        }
        let outcome = await client.send(
            HTTPClientRequest(
                method: .post, url: url, fields: ["Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"],
                body: form.withBytes { $0 }, timeout: configuration.settlementTimeout,
                maximumBody: SettlementPackage.maximumAnswer))
        return settlementAnswer(outcome, of: account, on: date, at: time)
    }

    public func settlementFile(
        _ content: [UInt8], of account: String, on date: SettlementDate
    ) throws(SettlementFileError) -> SettlementFile {
        try SettlementPackage.read(content, of: account, on: date)
    }

    private func settlementURL(of account: String) -> String? {
        guard merchants[account]?.environment == .test, let test = configuration.test else {
            return configuration.settlementURL
        }
        return test.settlementURL
    }

    private func settlementRequest(_ account: String, _ date: SettlementDate, at time: Timestamp) -> ACPRequest {
        var request = ACPRequest()
        request.set("version", "5.1.0")
        request.set("encoding", "UTF-8")
        request.set("signMethod", "01")
        request.set("accessType", "0")
        request.set("txnType", "76")
        request.set("txnSubType", "01")
        request.set("bizType", "000000")
        request.set("merId", account)
        request.set("txnTime", time.transactionTime)
        request.set("settleDate", date.monthAndDay)
        request.set("fileType", "00")
        return request
    }

    /// What came of the download.
    func settlementAnswer(
        _ outcome: HTTPOutcome, of account: String, on date: SettlementDate, at time: Timestamp
    ) -> SettlementAnswer {
        switch outcome {
        case .notSent(let failure), .unknown(let failure): return .failed(reason: failure.description)
        case .answered(let answer):
            do throws(NotificationError) {
                return try file(in: answer, of: account, on: date, at: time)
            } catch {
                let reason = "the answer is not believed: \(error)"
                return error.isMisconfiguration ? .misconfigured(reason: reason) : .failed(reason: reason)
            }
        }
    }

    private func file(
        in answer: HTTPAnswer, of account: String, on date: SettlementDate, at time: Timestamp
    ) throws(NotificationError) -> SettlementAnswer {
        guard answer.response.status == .ok else {
            throw NotificationError(.malformed, "HTTP status \(answer.response.status.code)")
        }
        let message = try ACPMessage(answer: answer.response.body)
        try trust(of: account).verify(message, at: time)
        guard message.has("merId", account), message.has("txnType", "76"),
            message.has("txnTime", time.transactionTime)
        else { throw NotificationError(.subject, "the answer is signed, but it is about another request") }
        let code = try message.code("respCode")
        guard code == .success else {
            if code == .noFile { return .noFile }
            let reason = "the download was answered \(code.text) (\(message.detailCode ?? "no detail"))"
            return code.isOurFault ? .misconfigured(reason: reason) : .failed(reason: reason)
        }
        guard message.has("settleDate", date.monthAndDay) else {
            throw NotificationError(.subject, "the answer is signed, but it is about another day")
        }
        guard let text = message.bytes("fileContent"), let content = Base64.decode(utf8: text) else {
            throw NotificationError(.malformed, "the answer has no fileContent in base64")
        }
        return .file(content)
    }
}

extension SettlementDate {
    /// UnionPay's `settleDate`: MMDD.
    fileprivate var monthAndDay: String { month.padded(to: 2) + day.padded(to: 2) }
}
