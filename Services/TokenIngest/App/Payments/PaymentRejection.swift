import ApplePayToken
import Contracts

/// Why an attempt to pay is rejected: the stage, a code for programs, and a message that says what to do.
struct PaymentRejection: Error, Hashable {
    /// The stage of the verification, as in `payment.rejected`.
    let stage: String
    /// Stable, for programs; letters only.
    let reason: String
    /// For the app's developer; never a value from the token.
    let message: String
    /// What the payment sheet shows (`ApplePayError`), if the customer can correct it there.
    var sheetErrors: [SheetError] = []

    init(stage: String, reason: String, message: String, sheetErrors: [SheetError] = []) {
        self.stage = stage
        self.reason = reason
        self.message = message
        self.sheetErrors = sheetErrors
    }

    init(_ error: TokenError) {
        self.init(stage: error.stage.rawValue, reason: error.stage.reason, message: error.reason)
    }

    static let applicationDataMissing = PaymentRejection(
        stage: "applicationData", reason: "applicationDataMissing",
        message: "the token carries no applicationData; put the one of the order's payment request into yours")
    static let applicationDataDiffers = PaymentRejection(
        stage: "applicationData", reason: "applicationDataDiffers", message: "the token was made for another order")
    static let currencyDiffers = PaymentRejection(
        stage: "currency", reason: "currencyDiffers", message: "the token pays in another currency than the ticket asks"
    )
    static let amountDiffers = PaymentRejection(
        stage: "amount", reason: "amountDiffers",
        message: "the token pays another amount than the ticket asks; send the ticket of the sheet's last update")
    static let networkUnknown = PaymentRejection(
        stage: "network", reason: "networkUnknown", message: "the card number belongs to no network that is known here")
    static let networkNotAllowed = PaymentRejection(
        stage: "network", reason: "networkNotAllowed", message: "the merchant does not take cards of this network")
    static let cardDataTooLarge = PaymentRejection(
        stage: "payload", reason: "cardDataTooLarge", message: "the card data are larger than any card's")

    static func cardTypeUnknown(_ texts: SheetTexts) -> PaymentRejection {
        PaymentRejection(
            stage: "cardType", reason: "cardTypeUnknown",
            message: "the price depends on the type of the card, and the merchant's cardRanges do not have this card",
            sheetErrors: [SheetError(.unknown, message: texts.cardNotAccepted)])
    }

    static func cardTypeDiffers(_ texts: SheetTexts) -> PaymentRejection {
        PaymentRejection(
            stage: "cardType", reason: "cardTypeDiffers",
            message: "the price holds for another type of card; send the ticket of the sheet's last update",
            sheetErrors: [SheetError(.unknown, message: texts.cardTypeNotAccepted)])
    }

    /// The ticket's price holds for a region that is not the authorised address'.
    static func region(isMissing: Bool, _ field: PaymentContact.Field, _ texts: SheetTexts) -> PaymentRejection {
        PaymentRejection(
            stage: "region", reason: isMissing ? "regionMissing" : "regionDiffers",
            message: isMissing
                ? "the price holds for one region; send shippingContact of the authorised payment"
                : "the price holds for another region than the authorised address'; update the sheet first",
            sheetErrors: [SheetError(.shippingContactInvalid, field, message: texts.addressChanged)])
    }

    /// The authorised contact lacks what the order asks for.
    static func contact(_ errors: [SheetError]) -> PaymentRejection {
        let fields = errors.compactMap { error in error.contactField.map { "\(error.code.rawValue) \($0.rawValue)" } }
        return PaymentRejection(
            stage: "contact", reason: "contactIncomplete",
            message: "the order asks for more of the contact: \(fields.joined(separator: ", "))", sheetErrors: errors)
    }
}

extension TokenStage {
    /// The stage's code in facts and answers.
    fileprivate var reason: String {
        switch self {
        case .parse: "tokenMalformed"
        case .version: "versionUnknown"
        case .chain: "chainUntrusted"
        case .signer: "signerWrong"
        case .signature: "signatureWrong"
        case .time: "signedAtOtherTime"
        case .key: "keyUnknown"
        case .decrypt: "decryptionFailed"
        case .payload: "payloadMalformed"
        }
    }
}
