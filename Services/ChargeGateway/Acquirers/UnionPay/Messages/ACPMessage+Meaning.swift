import Charging
import Contracts

extension ACPMessage {
    /// A response code; without one a message says nothing.
    func code(_ name: String) throws(NotificationError) -> ResponseCode {
        guard let text = self[name], text.utf8.count == 2, text.utf8.allSatisfy(ACPSignature.isAlphanumeric) else {
            throw NotificationError(.malformed, "the message has no \(name) of two characters")
        }
        return ResponseCode(text: text)
    }

    /// The verdict with what the message tells beside it.
    ///
    /// - Throws: ``NotificationError`` when `txnAmt` is no amount.
    func answer(
        _ verdict: Verdict, _ code: ResponseCode, _ reference: AcquirerReference, fault: SendFault? = nil
    ) throws(NotificationError) -> AcquirerAnswer {
        let amount = self["txnAmt"].map { Int64($0) }
        if let amount, amount == nil { throw NotificationError(.malformed, "the message's txnAmt is no amount") }
        return AcquirerAnswer(
            verdict,
            result: AcquirerResult(
                reference: reference, code: code.text, serial: self["queryId"], settlementDate: self["settleDate"]),
            echoed: EchoedFields(reserved: self["reqReserved"], amount: amount ?? nil, currency: self["currencyCode"]),
            fault: fault)
    }

    /// The seven digits in brackets at the end of `respMsg`, as in `查无此交易[2600000]`.
    var detailCode: String? {
        guard let text = self["respMsg"], text.hasSuffix("]"),
            let start = text.lastIndex(of: "[")
        else { return nil }
        let digits = text[text.index(after: start)...].dropLast()
        return digits.utf8.count == 7 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? String(digits) : nil
    }
}
