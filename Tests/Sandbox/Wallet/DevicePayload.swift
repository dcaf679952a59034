import Foundation
import SandboxPKI

/// The plaintext that the Secure Element makes, in the names of Apple's payment token reference.
struct DevicePayload: Encodable {
    struct Details: Encodable {
        var onlinePaymentCryptogram: String?
        var eciIndicator: String?
        var emvData: String?
        var encryptedPINData: String?
    }

    var applicationPrimaryAccountNumber: String
    var applicationExpirationDate = "311231"
    var currencyCode: String
    var transactionAmount: Int64
    var cardholderName: String?
    var deviceManufacturerIdentifier = "040010030273"
    var paymentDataType: String
    var paymentData: Details

    /// The payload of a request, with made-up cryptograms.
    init(_ request: MintRequest) throws(WalletError) {
        let currency = try WalletCurrency(request.currency)
        applicationPrimaryAccountNumber = request.accountNumber ?? request.network.accountNumber()
        currencyCode = currency.number
        transactionAmount = request.amount
        cardholderName = request.cardholderName
        switch request.content {
        case .threeDSecure:
            paymentDataType = "3DSecure"
            paymentData = Details(
                onlinePaymentCryptogram: Data(Randomness.bytes(20)).base64EncodedString(),
                eciIndicator: request.network.electronicCommerceIndicator)
        case .emv, .emvWithPIN:
            paymentDataType = "EMV"
            paymentData = Details(
                emvData: Data(Self.chipData()).base64EncodedString(),
                encryptedPINData: request.content == .emvWithPIN ? Hexadecimal.encode(Randomness.bytes(20)) : nil)
        }
    }

    /// Texts that must not appear in any log.
    var secrets: [String] {
        [applicationPrimaryAccountNumber]
            + [paymentData.onlinePaymentCryptogram, paymentData.emvData, paymentData.encryptedPINData].compactMap(
                \.self)
    }

    /// Application cryptogram (9F26), transaction counter (9F36) and cryptogram information (9F27).
    private static func chipData() -> [UInt8] {
        [0x9F, 0x26, 8] + Randomness.bytes(8) + [0x9F, 0x36, 2] + Randomness.bytes(2) + [0x9F, 0x27, 1, 0x80]
    }
}
