import Foundation

/// UnionPay's checks before a request may change the book, in their order: presence, signature, formats, merchant,
/// product, time, card data.
struct RequestRules: Sendable {
    /// An address of the gateway, with the transactions it accepts.
    enum Endpoint: String, Sendable {
        case back, query, file
    }

    /// Merchants with a contract.
    let merchants: Set<String>
    /// The serial number of the merchant's signing certificate.
    let certificateID: String

    /// - Parameter signatureIsRight: called only when all mandatory fields are present.
    func check(
        _ message: ACPMessage, at endpoint: Endpoint, _ now: BeijingTime, signatureIsRight: () -> Bool
    ) throws(Refusal) {
        for name in Self.required(message) where message[name] == nil { throw Refusal(.missingField, name) }
        guard message["certId"] == certificateID, signatureIsRight() else { throw Refusal(.badSignature) }
        for (name, value) in message.fields.sorted(by: { $0.key < $1.key }) {
            if let format = FieldFormat.all[name], !format.matches(value) { throw Refusal(.badFormat, name) }
        }
        let (type, kind) = (message["txnType"] ?? "", TransactionKind(rawValue: message["txnType"] ?? ""))
        guard Self.accepted[endpoint]?.contains("\(type)/\(message["txnSubType"] ?? "")") == true else {
            throw Refusal(.badFormat, "txnType")
        }
        guard merchants.contains(message["merId"] ?? "") else { throw Refusal(.merchantState) }
        let isCharge = kind?.hasCard == true
        guard message["bizType"] == "000802" || (!isCharge && message["bizType"] == "000000") else {
            throw Refusal(.noRight, "bizType")
        }
        guard endpoint != .query else { return }
        guard let time = message["txnTime"].flatMap(BeijingTime.init), abs(now.seconds - time.seconds) <= 15 * 60 else {
            throw Refusal(.badFormat, "txnTime")
        }
        if isCharge { try Self.checkCard(message) }
    }

    /// `txnType/txnSubType` of what each address accepts.
    private static let accepted: [Endpoint: Set<String>] = [
        .back: ["01/01", "02/01", "02/02", "03/00", "04/00", "31/00", "32/00", "33/00", "95/00"],
        .query: ["00/00", "00/02"], .file: ["76/01"],
    ]

    private static func required(_ message: ACPMessage) -> [String] {
        let common = [
            "version", "encoding", "signMethod", "certId", "signature", "merId", "accessType", "txnType", "txnSubType",
            "bizType",
        ]
        switch message["txnType"] {
        case "00": return common + (message["txnSubType"] == "02" ? ["queryId"] : ["orderId", "txnTime"])
        case "76": return common + ["txnTime", "settleDate", "fileType"]
        case "95": return common + ["orderId", "txnTime", "certType"]
        default: break
        }
        guard let kind = TransactionKind(rawValue: message["txnType"] ?? "") else { return common }
        let funds = common + ["orderId", "txnTime", "channelType", "txnAmt", "backUrl"]
        guard !kind.hasCard else { return funds + ["currencyCode", "accNo", "cardTransData"] }
        // Only a refund may name its original by the merchant's own key.
        let isByKey = kind == .refund && message["origOrderId"] != nil
        return funds + (isByKey ? ["origOrderId", "origTxnTime"] : ["origQryId"])
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
