import OrchardServiceKit

/// A key of the command line, and the option after it that names its merchant.
struct KeyOptions: Hashable {
    enum Merchant: Hashable {
        case certificate(String)
        case identifier(String)
    }

    let key: String
    var merchant: Merchant?

    /// The keys in their order.
    ///
    /// - Throws: ``UsageError`` for a certificate or identifier that follows no key.
    static func pairs(_ options: [Invocation.Given]) throws(UsageError) -> [KeyOptions] {
        var pairs: [KeyOptions] = []
        for option in options {
            switch option.name {
            case "key": pairs.append(KeyOptions(key: option.value))
            case "certificate", "merchant-id":
                guard var last = pairs.popLast(), last.merchant == nil else {
                    throw UsageError("--\(option.name) \(option.value) must follow its --key")
                }
                last.merchant =
                    option.name == "certificate" ? .certificate(option.value) : .identifier(option.value)
                pairs.append(last)
            default: break
            }
        }
        return pairs
    }
}
