import OrchardCrypto
import OrchardJSON

/// Reads the member `paymentData` of the decrypted content. It may come before the member that names its kind.
struct CredentialReader: ~Copyable {
    private var cryptogram = SecretBytes()
    private var eci: String?
    private var emv = SecretBytes()
    private var pin = SecretBytes()

    init(_ reader: inout JSONReader) throws(JSONError) {
        var fields = Fields()
        try reader.object { reader, name throws(JSONError) in
            // The required members depend on the kind of data, which may come later: see `credential`.
            if reader.isNull() { return }
            switch name {
            case "onlinePaymentCryptogram": fields.cryptogram = try reader.base64Secret()
            case "emvData": fields.emv = try reader.base64Secret()
            case "encryptedPINData": fields.pin = try reader.hexSecret()
            case "eciIndicator":
                fields.eci = try reader.string {
                    (1...2).contains($0.count)
                } orRefuse: {
                    "one or two characters are expected"
                }
            default: try reader.skip()
            }
        }
        cryptogram = fields.cryptogram
        eci = fields.eci
        emv = fields.emv
        pin = fields.pin
    }

    private struct Fields: ~Copyable {
        var cryptogram = SecretBytes()
        var eci: String?
        var emv = SecretBytes()
        var pin = SecretBytes()
    }

    consuming func credential(
        _ kind: PaymentCredential.Kind, _ scheme: TokenScheme, _ reader: inout JSONReader
    ) throws(JSONError) -> PaymentCredential {
        switch kind {
        case .threeDSecure:
            guard !cryptogram.isEmpty else {
                throw reader.error(.missing, "paymentData.onlinePaymentCryptogram is required")
            }
            return .threeDSecure(ThreeDSecureCredential(cryptogram: cryptogram, eci: eci))
        case .emv:
            guard !emv.isEmpty else { throw reader.error(.missing, "paymentData.emvData is required") }
            guard pin.isEmpty || scheme == .rsa else {
                throw reader.error(.value, "paymentData.encryptedPINData belongs to RSA_v1 tokens only")
            }
            return .emv(EMVCredential(data: emv, encryptedPIN: pin))
        }
    }
}
