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

    /// The language of messages to the customer of an order: the order's own, else the device's.
    ///
    /// - Parameter field: the request's `Accept-Language`.
    public init(of ticket: OrderTicket?, accepting field: String?) {
        self = ticket?.language ?? SheetLanguage(accepting: field ?? "")
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
