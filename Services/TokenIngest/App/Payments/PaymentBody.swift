import OrchardJSON

/// The body of `POST /v1/payments`: what the device's `didAuthorizePayment` (or `onpaymentauthorized`) was given.
///
///     {"token": PKPaymentToken, "shippingContact": {"countryCode": "CN", …}}
struct PaymentBody {
    /// The token's own text, which ApplePayToken reads.
    let token: [UInt8]
    /// ISO 3166-1 code of the country in the address that was authorised; the sheet showed a redacted one before.
    let shippingCountry: String?

    /// Token and contacts have about fifty members.
    private static let maximumValues = 1_024

    /// - Throws: `JSONError` naming the member that is missing, unknown or of a wrong type.
    init(parsing bytes: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(bytes, maximumValues: Self.maximumValues) { reader throws(JSONError) in
            var (token, country): ([UInt8]?, String?)
            try reader.object { reader, name throws(JSONError) in
                switch name {
                case "token":
                    guard try reader.kind() == .object else {
                        throw reader.error(.type, "the PKPaymentToken as an object is expected")
                    }
                    token = try reader.raw()
                case "shippingContact": country = try Self.country(&reader)
                // The issuer checks it, if anybody; nobody here may keep it.
                case "billingContact": try reader.skip()
                default: throw reader.unknownMember()
                }
            }
            return PaymentBody(token: try reader.required(token, "token"), shippingCountry: country)
        }
    }

    private init(token: [UInt8], shippingCountry: String?) {
        self.token = token
        self.shippingCountry = shippingCountry
    }

    /// Reads a contact as Apple writes it, of which only the country matters here.
    private static func country(_ reader: inout JSONReader) throws(JSONError) -> String? {
        if reader.isNull() { return nil }
        var country: String?
        try reader.object { reader, name throws(JSONError) in
            guard name == "countryCode" else { return try reader.skip() }
            if !reader.isNull() { country = try reader.string().uppercased() }
        }
        return country
    }
}
