import Charging
import Contracts
import OrchardCrypto
import OrchardHTTPTypes
import OrchardJSON

/// The fields of an answer or a notification of UnionPay's ACP, byte for byte as they came: the signature covers them so.
struct ACPMessage: Hashable, Sendable {
    private let fields: [String: [UInt8]]

    /// A message of ACP has up to forty fields, and some with fields of their own inside.
    private static let maximumFields = 256
    /// Names of ACP are far shorter.
    private static let maximumNameLength = 64

    /// Reads an answer: `k=v&k=v`, not percent-encoded. A value may hold `&` inside braces, and `=` anywhere.
    init(answer body: [UInt8]) throws(NotificationError) {
        try Self.requireFewFields(body)
        guard let parts = Self.cut(body[...]) else {
            throw NotificationError(.malformed, "the braces of the message do not close")
        }
        var fields: [String: [UInt8]] = [:]
        for part in parts {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                throw NotificationError(.malformed, "the message is not one of names and values")
            }
            try Self.add(part[..<equals], Array(part[(equals + 1)...]), to: &fields)
        }
        self.fields = fields
    }

    /// Reads a notification: a percent-encoded form.
    ///
    /// The signature is over the joined text, so that a stranger could pass on a genuine notification with two fields
    /// melted into one, to hide the second; a value that would be cut in the joined text is refused.
    init(form body: [UInt8]) throws(NotificationError) {
        try Self.requireFewFields(body)
        guard let pairs = FormEncoding.decode(body) else {
            throw NotificationError(.malformed, "the message is no form in UTF-8")
        }
        var fields: [String: [UInt8]] = [:]
        for (name, text) in pairs {
            let value = Array(text.utf8)
            guard Self.cut(value[...])?.count == 1 else {
                throw NotificationError(.malformed, "a value of the message holds more than one field")
            }
            try Self.add(Array(name.utf8)[...], value, to: &fields)
        }
        self.fields = fields
    }

    /// A field as text; nil when it is missing, blank, or no UTF-8 of the kind that ``StreamSafeText`` allows.
    subscript(name: String) -> String? {
        fields[name].flatMap { String(outside: $0) }
    }

    /// Whether a field is exactly this text; costs no more than the text's length, whatever came.
    func has(_ name: String, _ text: String) -> Bool { fields[name]?.elementsEqual(text.utf8) == true }

    /// A field's bytes; nil when it is missing or blank.
    func bytes(_ name: String) -> [UInt8]? { fields[name] }

    /// The string to sign: all fields but the signature, in the order of their names.
    var signedText: [UInt8] {
        var text: [UInt8] = []
        for name in fields.keys.filter({ $0 != "signature" }).sorted(by: ACPSignature.comesFirst) {
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            text += name.utf8
            text.append(UInt8(ascii: "="))
            text += fields[name] ?? []
        }
        return text
    }

    /// Each field costs more than its bytes tell: they are counted before one is read.
    private static func requireFewFields(_ body: [UInt8]) throws(NotificationError) {
        guard body.count(where: { $0 == UInt8(ascii: "&") }) < maximumFields else {
            throw NotificationError(.malformed, "the message has more than \(maximumFields) fields")
        }
    }

    /// Cuts at each `&` outside braces; nil when the braces do not close.
    private static func cut(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var parts: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                guard depth >= 0 else { return nil }
            case UInt8(ascii: "&") where depth == 0:
                parts.append(text[start..<index])
                start = index + 1
            default: break
            }
        }
        parts.append(text[start...])
        return depth == 0 ? parts : nil
    }

    /// Adds a field; a blank one is as good as none.
    private static func add(
        _ name: ArraySlice<UInt8>, _ value: [UInt8], to fields: inout [String: [UInt8]]
    ) throws(NotificationError) {
        guard (1...maximumNameLength).contains(name.count), name.allSatisfy(ACPSignature.isNameByte),
            let name = String(outside: name)
        else {
            throw NotificationError(.malformed, "the message is not one of names and values")
        }
        guard !value.isEmpty else { return }
        guard fields.updateValue(value, forKey: name) == nil else {
            throw NotificationError(.malformed, "the message has a field twice")
        }
    }
}

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
