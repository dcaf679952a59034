import OrchardCrypto
import OrchardJSON

extension DecryptedCard {
    /// The content under Apple's member names, for tools that explain a token.
    ///
    /// - Parameters:
    ///   - revealing: Shows card number, cardholder, cryptograms, EMV data and PIN. That puts them into ordinary memory
    ///     and onto a screen: on a person's demand only, never in a service. Otherwise they are masked.
    public func json(revealing: Bool) -> JSONValue {
        var members = [
            JSONMember("applicationExpirationDate", .string(expirationDate)),
            JSONMember(
                "applicationPrimaryAccountNumber",
                .string(revealing ? primaryAccountNumber.text : "************\(lastFour)")),
            JSONMember("currencyCode", .string(currencyCode)),
            JSONMember("deviceManufacturerIdentifier", .string(deviceManufacturerIdentifier)),
            JSONMember("paymentData", credential.json(revealing: revealing)),
            JSONMember("paymentDataType", .string(credential.kind.rawValue)),
            JSONMember("transactionAmount", .integer(transactionAmount)),
        ]
        if !cardholderName.isEmpty {
            members.append(JSONMember("cardholderName", .string(revealing ? cardholderName.text : mask)))
        }
        if let merchantTokenIdentifier {
            members.append(JSONMember("merchantTokenIdentifier", .string(merchantTokenIdentifier)))
        }
        if let merchantTokenMetadata { members.append(JSONMember("merchantTokenMetadata", merchantTokenMetadata)) }
        return .object(members)
    }
}

private let mask = "***"

extension PaymentCredential {
    fileprivate func json(revealing: Bool) -> JSONValue {
        var members: [JSONMember] = []
        switch self {
        case .threeDSecure(let credential):
            let text = revealing ? credential.cryptogram.text : mask
            members.append(JSONMember("onlinePaymentCryptogram", .string(text)))
            if let eci = credential.eci { members.append(JSONMember("eciIndicator", .string(eci))) }
        case .emv(let credential):
            members.append(JSONMember("emvData", .string(revealing ? credential.data.text : mask)))
            if !credential.encryptedPIN.isEmpty {
                let text = revealing ? credential.encryptedPIN.text : mask
                members.append(JSONMember("encryptedPINData", .string(text)))
            }
        }
        return .object(members)
    }
}

extension SecretBytes {
    fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
