import OrchardCrypto
import OrchardJSON

/// Reads the decrypted content (Apple's "Payment token format reference", encrypted data).
///
/// Unknown members are ignored; `null` in an optional member counts as missing.
struct PayloadReader: ~Copyable {
    private var number = SecretBytes()
    private var expirationDate: String?
    private var currencyCode: String?
    private var amount: Int64?
    private var cardholder = SecretBytes()
    private var manufacturer: String?
    private var kind: PaymentCredential.Kind?
    private var credential: CredentialReader?
    private var shares = AuthenticationResponses()
    private var merchantToken: String?
    private var metadata: JSONValue?

    /// - Throws: `Refusal` of the stage `payload`; its reason names the member, never its value.
    static func read(_ plaintext: consuming SecretBytes, scheme: TokenScheme) throws(InvalidToken) -> DecryptedCard {
        do throws(JSONError) {
            return try plaintext.withBytes { bytes throws(JSONError) in
                try JSONReader.read(bytes) { reader throws(JSONError) in
                    var payload = PayloadReader()
                    try reader.object { reader, name throws(JSONError) in try payload.read(name, &reader) }
                    return try payload.card(&reader, scheme: scheme)
                }
            }
        } catch {
            throw InvalidToken(.payload, error.description)
        }
    }

    private mutating func read(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) {
        if Self.isOptional(name), reader.isNull() { return }
        switch name {
        case "applicationPrimaryAccountNumber":
            number = try reader.secret()
            let isNumber = number.withBytes { (8...19).contains($0.count) && $0.allSatisfy(Self.isDigit) }
            guard isNumber else { throw reader.error(.value, "a card number has 8 to 19 digits") }
        case "applicationExpirationDate":
            expirationDate = try reader.string {
                $0.count == 6 && Self.isDate($0)
            } orRefuse: {
                "YYMMDD is expected"
            }
        case "currencyCode":
            currencyCode = try reader.string {
                $0.count == 3 && $0.allSatisfy(Self.isDigit)
            } orRefuse: {
                "the three digits of ISO 4217 are expected"
            }
        case "transactionAmount":
            let value = try reader.int64()
            guard (0..<1_000_000_000_000_000).contains(value) else {
                throw reader.error(.range, "the amount is not one of a card payment")
            }
            amount = value
        case "cardholderName": cardholder = try reader.secret()
        case "deviceManufacturerIdentifier":
            manufacturer = try reader.string {
                !$0.isEmpty && Hex.decode(utf8: $0) != nil
            } orRefuse: {
                "hexadecimal digits are expected"
            }
        case "paymentDataType":
            kind = PaymentCredential.Kind(rawValue: try reader.string())
            guard kind != nil else { throw reader.error(.value, "3DSecure or EMV is expected") }
        case "paymentData": credential = try CredentialReader(&reader)
        case "authenticationResponses":
            shares = try AuthenticationResponses(&reader)
        case "merchantTokenIdentifier":
            merchantToken = try reader.string {
                (1...64).contains(String(decoding: $0, as: UTF8.self).count)
            } orRefuse: {
                "1 to 64 characters are expected"
            }
        case "merchantTokenMetadata":
            metadata = try MerchantTokenMetadata.read(&reader)
        default: try reader.skip()
        }
    }

    private static func isOptional(_ name: JSONName) -> Bool {
        switch name {
        case "cardholderName", "authenticationResponses", "merchantTokenIdentifier", "merchantTokenMetadata": true
        default: false
        }
    }

    private consuming func card(_ reader: inout JSONReader, scheme: TokenScheme) throws(JSONError) -> DecryptedCard {
        guard !number.isEmpty else {
            throw reader.error(.missing, "applicationPrimaryAccountNumber is required")
        }
        let kind = try reader.required(kind, "paymentDataType")
        guard let credential else { throw reader.error(.missing, "paymentData is required") }
        let total = try reader.required(amount, "transactionAmount")
        // Ten amounts of 15 digits do not overflow.
        guard shares.shares.reduce(0, { $0 + $1.transactionAmount }) <= total else {
            throw reader.error(.value, "authenticationResponses: the shares are more than the amount")
        }
        return DecryptedCard(
            primaryAccountNumber: number,
            expirationDate: try reader.required(expirationDate, "applicationExpirationDate"),
            currencyCode: try reader.required(currencyCode, "currencyCode"),
            transactionAmount: total, cardholderName: cardholder,
            deviceManufacturerIdentifier: try reader.required(manufacturer, "deviceManufacturerIdentifier"),
            credential: try credential.credential(kind, scheme, &reader), authenticationResponses: shares,
            merchantTokenIdentifier: merchantToken, merchantTokenMetadata: metadata)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isDate(_ text: [UInt8]) -> Bool {
        guard text.allSatisfy(isDigit) else { return false }
        let month = (text[2] - 0x30) * 10 + text[3] - 0x30
        let day = (text[4] - 0x30) * 10 + text[5] - 0x30
        return (1...12).contains(month) && (1...31).contains(day)
    }
}
