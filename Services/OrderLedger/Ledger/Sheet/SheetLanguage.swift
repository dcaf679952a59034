/// The language of the sheet's own labels and messages, as BCP 47 names it.
public enum SheetLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh-Hans"

    public var texts: SheetTexts {
        switch self {
        case .english: .english
        case .chinese: .chinese
        }
    }

    /// The first language of an `Accept-Language` field (RFC 9110) that is known; English when there is none.
    public init(accepting field: String) {
        let tags = field.split(separator: ",").map { $0.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased() }
        let known = tags.lazy.compactMap { tag -> Self? in
            let primary = tag.prefix { $0 != "-" }
            return primary == "zh" ? .chinese : primary == "en" ? .english : nil
        }
        self = known.first ?? .english
    }
}

/// What Orchard itself writes on the sheet. A language is a file.
public struct SheetTexts: Sendable {
    let subtotal: String
    let discount: String
    let shipping: String
    let tax: String
    /// For example "Tea House (via Orchard)".
    let payee: @Sendable (_ payee: String, _ merchant: String) -> String

    let addressUnserviceable: String
    let couponCodeInvalid: String
    let couponCodeExpired: String
    let cardTypeNotAccepted: String

    public let orderTaken: String
    public let declined: String
    public let confirming: String

}
