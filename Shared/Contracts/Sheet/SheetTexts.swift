/// What Orchard itself writes on the sheet. A language is a file.
public struct SheetTexts: Sendable {
    // Lines of the sheet.
    public let subtotal: String
    public let discount: String
    public let shipping: String
    public let tax: String
    /// For example "Tea House (via Orchard)".
    public let payee: @Sendable (_ payee: String, _ merchant: String) -> String

    // Errors that the customer can correct in the sheet.
    public let addressUnserviceable: String
    public let addressChanged: String
    public let couponCodeInvalid: String
    public let couponCodeExpired: String
    public let cardTypeNotAccepted: String
    public let cardNotAccepted: String
    public let nameMissing: String
    public let phoneticNameMissing: String
    public let phoneMissing: String
    public let emailMissing: String
    public let countryMissing: String
    public let streetMissing: String
    public let cityMissing: String

    // The end of a payment.
    public let orderTaken: String
    public let declined: String
    public let confirming: String
    public let holdEnded: String
}
