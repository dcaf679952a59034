import ApplePayToken

/// Why an attempt to pay is turned away: the stage, a code for programs and words that say what to do.
struct PaymentRefusal: Error, Hashable {
    /// The stage of the verification, as `payment.rejected` tells it.
    let stage: String
    /// Stable, for programs; letters only.
    let reason: String
    /// For the app's developer; never a value from the token.
    let words: String
    /// What the payment sheet shows (`ApplePayError`), if the customer can mend it there.
    var sheetError: SheetError?

    /// An `ApplePayError` of Apple Pay on the web; `PKPaymentError` has the same kinds.
    struct SheetError: Hashable {
        let code: String
        let contactField: String
        let message: String
    }

    init(stage: String, reason: String, words: String, sheetError: SheetError? = nil) {
        self.stage = stage
        self.reason = reason
        self.words = words
        self.sheetError = sheetError
    }

    init(_ error: TokenError) {
        self.init(stage: error.stage.rawValue, reason: error.stage.reason, words: error.reason)
    }

    static let applicationDataMissing = PaymentRefusal(
        stage: "applicationData", reason: "applicationDataMissing",
        words: "the token carries no applicationData; put the one of the order's payment request into yours")
    static let applicationDataDiffers = PaymentRefusal(
        stage: "applicationData", reason: "applicationDataDiffers", words: "the token was made for another order")
    static let currencyDiffers = PaymentRefusal(
        stage: "currency", reason: "currencyDiffers", words: "the token pays in another currency than the ticket asks")
    static let amountDiffers = PaymentRefusal(
        stage: "amount", reason: "amountDiffers",
        words: "the token pays another amount than the ticket asks; send the ticket of the sheet's last update")
    static let networkUnknown = PaymentRefusal(
        stage: "network", reason: "networkUnknown", words: "the card number belongs to no network that is known here")
    static let networkNotAllowed = PaymentRefusal(
        stage: "network", reason: "networkNotAllowed", words: "the merchant does not take cards of this network")
    static let cardDataTooLarge = PaymentRefusal(
        stage: "payload", reason: "cardDataTooLarge", words: "the card data are larger than any card's")

    /// The ticket's price holds for a region that is not the authorised address'.
    static func region(isMissing: Bool) -> PaymentRefusal {
        PaymentRefusal(
            stage: "region", reason: isMissing ? "regionMissing" : "regionDiffers",
            words: isMissing
                ? "the price holds for one country; send shippingContact.countryCode of the authorised address"
                : "the price holds for another country than the authorised address'; update the sheet first",
            sheetError: SheetError(
                code: "shippingContactInvalid", contactField: "countryCode",
                message: "Shipping to this country costs something else. Please choose the address again."))
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
