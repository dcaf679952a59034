import Foundation

/// UnionPay's checks before a request may change the book, in their order: presence, signature, formats, merchant,
/// product, time, card data.
struct RequestRules: Sendable {
    /// An address of the gateway, with the transactions it accepts.
    enum Endpoint: String, Sendable {
        case back, query
    }

    /// Merchants with a contract.
    let merchants: Set<String>
    /// The serial number of the merchant's signing certificate.
    let certificateID: String

    /// - Parameter signatureIsRight: called only when all mandatory fields are present.
    func check(
        _ message: ACPMessage, at endpoint: Endpoint, _ now: BeijingTime, signatureIsRight: () -> Bool
    ) throws(Refusal) {
        let isQuery = message["txnType"] == "00"
        for name in Self.required(message) where message[name] == nil { throw Refusal(.missingField, name) }
        guard message["certId"] == certificateID, signatureIsRight() else { throw Refusal(.badSignature) }
        for (name, value) in message.fields.sorted(by: { $0.key < $1.key }) {
            if let format = FieldFormat.all[name], !format.matches(value) { throw Refusal(.badFormat, name) }
        }
        let kinds = endpoint == .query ? ["00/00", "00/02"] : ["01/01"]
        guard kinds.contains("\(message["txnType"] ?? "")/\(message["txnSubType"] ?? "")") else {
            throw Refusal(.badFormat, "txnType")
        }
        guard merchants.contains(message["merId"] ?? "") else { throw Refusal(.merchantState) }
        guard message["bizType"] == "000802" || (isQuery && message["bizType"] == "000000") else {
            throw Refusal(.noRight, "bizType")
        }
        guard !isQuery else { return }
        guard let time = message["txnTime"].flatMap(BeijingTime.init), abs(now.seconds - time.seconds) <= 15 * 60 else {
            throw Refusal(.badFormat, "txnTime")
        }
        try Self.checkCard(message)
    }

    private static func required(_ message: ACPMessage) -> [String] {
        let common = [
            "version", "encoding", "signMethod", "certId", "signature", "merId", "accessType", "txnType", "txnSubType",
            "bizType",
        ]
        switch message["txnType"] {
        case "00": return common + (message["txnSubType"] == "02" ? ["queryId"] : ["orderId", "txnTime"])
        case "01":
            return common + [
                "orderId", "txnTime", "channelType", "txnAmt", "currencyCode", "backUrl", "accNo", "cardTransData",
            ]
        default: return common
        }
    }

    /// The Apple Pay back-channel rules for cardTransData and customerInfo.
    private static func checkCard(_ message: ACPMessage) throws(Refusal) {
        guard let card = members(message["cardTransData"] ?? ""), card["carrierTp"] == "6", card["carrierAppTp"] == "2",
            let chip = Data(base64Encoded: card["ICCardData"] ?? ""), !chip.isEmpty
        else { throw Refusal(.badFormat, "cardTransData") }
        guard let info = message["customerInfo"] else { return }
        guard let inner = Data(base64Encoded: info), let text = String(data: inner, encoding: .utf8),
            let customer = members(text)
        else { throw Refusal(.badFormat, "customerInfo") }
        let pin = customer["pin"] ?? ""
        let isHexadecimal = pin.utf8.count >= 16 && pin.allSatisfy(\.isHexDigit)
        guard pin.isEmpty || isHexadecimal || FieldFormat.isCiphertext(pin) else {
            throw Refusal(.badFormat, "customerInfo.pin")
        }
    }

    /// The members of a `{k=v&k=v}` value.
    private static func members(_ text: String) -> [String: String]? {
        guard text.count > 2, text.hasPrefix("{"), text.hasSuffix("}") else { return nil }
        let inside = text.dropFirst().dropLast()
        guard !inside.contains(where: { "{}".contains($0) }) else { return nil }
        var members: [String: String] = [:]
        for item in inside.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            members[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        return members
    }
}
