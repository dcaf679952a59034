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
