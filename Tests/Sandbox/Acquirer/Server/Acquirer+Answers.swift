import SandboxPKI

extension Acquirer {
    /// The fields of a request that are repeated in its answer.
    private static let echoed = [
        "accessType", "bizType", "merId", "orderId", "txnTime", "txnType", "txnSubType", "reqReserved", "txnAmt",
        "currencyCode", "origQryId",
    ]

    /// A signed answer that says why a request was refused.
    func refuse(_ message: ACPMessage, _ refusal: Refusal) throws(PKIError) -> Answer? {
        try answer(message, [:], .right, refusal)
    }

    /// The signed answer in the given style; nil closes the connection without an answer.
    ///
    /// - Parameter result: the code, which here may also be a success, and its field.
    func answer(
        _ message: ACPMessage, _ fields: [String: String], _ style: AnswerStyle, _ result: Refusal
    ) throws(PKIError) -> Answer? {
        count("respCode \(result.code.text)")
        switch style {
        case .drop, .slowDrop: return nil
        case .html: return .page(status: 200)
        case .http500: return .page(status: 500)
        case .http502: return .page(status: 502)
        case .empty: return Answer(contentType: "text/html", body: [])
        case .right, .slow, .cut, .badSignature, .impostor, .foreign, .expired: break
        }
        let all = message.keeping(Self.echoed).merging(fields) { _, new in new }.merging([
            "respCode": result.code.text, "respMsg": result.code.message(about: result.field),
        ]) { _, new in new }
        let body = try signer.sign(all, style).answerBody
        return Answer(body: style == .cut ? Array(body.prefix(body.count / 2)) : body)
    }
}
