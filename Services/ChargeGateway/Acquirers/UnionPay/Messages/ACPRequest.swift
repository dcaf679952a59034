import Contracts
import OrchardCrypto

/// A request of UnionPay's ACP 5.1.0 in the making. Card data are among its fields, so all memory they touch is wiped.
struct ACPRequest: ~Copyable {
    private var fields: [(name: String, range: Range<Int>)] = []
    private var values = SecretBytes()

    /// Sets a field; an empty value leaves it out.
    mutating func set(_ name: String, _ value: String) {
        set(name) { $0.append(contentsOf: value.utf8) }
    }

    /// Sets a field to what `write` appends.
    mutating func set<Failure: Error>(
        _ name: String, _ write: (inout SecretBytes) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(!fields.contains { $0.name == name }, "a field of a request is set once")
        let start = values.count
        try write(&values)
        if values.count > start { fields.append((name, start..<values.count)) }
    }

    /// The string to sign: all fields in the order of their names, as they are.
    borrowing func textToSign() -> SecretBytes {
        joined { value, text in text.append(contentsOf: value) }
    }

    /// Signs the request and writes it as a form.
    consuming func form(signedBy merchant: UnionPayMerchant) throws(CryptoError) -> SecretBytes {
        set("certId", merchant.certificateID)
        let text = textToSign()
        let signature = try text.withBytes { bytes throws(CryptoError) in try merchant.sign(bytes) }
        set("signature", Base64.encode(signature))
        return joined { value, text in text.appendPercentEncoded(value) }
    }

    private borrowing func joined(_ write: (ArraySlice<UInt8>, inout SecretBytes) -> Void) -> SecretBytes {
        var text = SecretBytes()
        for (name, range) in fields.sorted(by: { ACPSignature.comesFirst($0.name, $1.name) }) {
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            text.append(contentsOf: name.utf8)
            text.append(UInt8(ascii: "="))
            values.withBytes { write($0[range], &text) }
        }
        return text
    }
}

extension ACPRequest {
    /// Sets the card's fields: `accNo`, `cardTransData` and `customerInfo`.
    mutating func set(_ card: borrowing CardData, _ configuration: UnionPayConfiguration) throws(RequestError) {
        guard card.has(.emvData) else {
            throw RequestError(unsendable: "the card data have no EMV data; UnionPay takes no others")
        }
        try set("accNo") { value throws(RequestError) in
            try value.append(card, .accountNumber, isRight: Self.isDigit)
        }
        try set("cardTransData") { value throws(RequestError) in
            value.append(contentsOf: "{ICCardData=".utf8)
            try value.append(card, .emvData, isRight: Self.isBase64)
            value.append(contentsOf: "&carrierAppTp=\(configuration.carrierApplication)".utf8)
            value.append(contentsOf: "&carrierTp=\(configuration.carrierType)}".utf8)
        }
        let customer = try Self.customer(of: card)
        set("customerInfo") { $0.appendBase64(customer) }
    }

    /// `{customerNm=…&pin=…}` of what the card has; empty when it has neither.
    ///
    /// The PIN goes as Apple gives it: it is encrypted for the issuer already.
    private static func customer(of card: borrowing CardData) throws(RequestError) -> SecretBytes {
        var members = SecretBytes()
        // A name that would end its member early is left out; it decides nothing.
        let hasName = card.withField(.cardholderName) { !$0.isEmpty && $0.allSatisfy(isPlain) } ?? false
        if hasName {
            members.append(contentsOf: "{customerNm=".utf8)
            try members.append(card, .cardholderName, isRight: isPlain)
        }
        if card.withField(.encryptedPIN, { !$0.isEmpty }) ?? false {
            members.append(contentsOf: (hasName ? "&pin=" : "{pin=").utf8)
            try members.append(card, .encryptedPIN, isRight: ACPSignature.isAlphanumeric)
        }
        if !members.isEmpty { members.append(UInt8(ascii: "}")) }
        return members
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isBase64(_ byte: UInt8) -> Bool {
        ACPSignature.isAlphanumeric(byte) || "+/=".utf8.contains(byte)
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F && !"&={}".utf8.contains(byte) }
}

extension SecretBytes {
    /// Adds a field of the card; one that could be taken for other fields of the request is refused.
    fileprivate mutating func append(
        _ card: borrowing CardData, _ field: CardData.Field, isRight: (UInt8) -> Bool
    ) throws(RequestError) {
        let isAdded = card.withField(field) { value in
            guard value.allSatisfy(isRight) else { return false }
            append(contentsOf: value)
            return true
        }
        guard isAdded == true else { throw RequestError(unsendable: "the card data's \(field) is not in Apple's form") }
    }
}
